"""SQL expressions in the closed algebra, and what is known of their values from public facts.

The order: functions (the allow-list) with ranges, translate (into the algebra), keys (which groups),
evaluate (after the noise).
"""
