"""Tables whose people hide in groups: k-anonymity, l-diversity, t-closeness.

These are properties of an output, not of the program that made it, and no differential privacy: what they leave open is
measured in every report (`report/exposures.py`). The way of a table, in `anonymize.py`:

    read -> group once -> search -> recode -> check -> report
"""
