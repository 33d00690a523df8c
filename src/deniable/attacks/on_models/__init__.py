"""Attacks on means, made-up rows, models and rankings: was this person in the data, and what is in the profile?"""
