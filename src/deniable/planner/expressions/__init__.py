"""SQL expressions in the closed algebra, and what is known of their values from public facts.

The order: functions (the allow-list) with ranges, spans (of time), formats and texts; conversions and dates (constants,
and kinds beside each other); rules, calendar_rules and text_rules, which translate puts together (into the algebra);
keys (which groups); evaluate (after the noise).
"""
