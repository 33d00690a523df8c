"""Defences that refuse a question when its answer, with the earlier ones, would disclose: query auditing."""
