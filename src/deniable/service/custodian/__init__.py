"""What custodians and reviewers may do, whichever door they come through.

custody       tokens, ledger, policy, metrics
policy_form   a policy's text as a form, and the text with other fields
publishing    profiles, synthetic tables, workloads, anonymized tables
anonymizing   what may be asked of an anonymized table from afar
"""
