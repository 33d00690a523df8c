"""Attacks on means, models and rankings: was this person in the data, and what is in the profile?"""
