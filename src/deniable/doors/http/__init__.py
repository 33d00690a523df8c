"""The HTTP door: JSON, CSV, Arrow and Parquet over HTTP, and a thin client that answers like the local curator.

app         all routes of one server
questions   explain, questions, batches, releases: what is asked and paid
accounts    tables, policy, budget, history, ledger, tokens, metrics
jobs        questions on their way, which may be asked for later
formats     answers in the form that Accept names
problems    refusals and failures as problem+json
shapes      what bodies look like
guard       size of bodies, headers that keep browsers safe, who is asking
connect     `deniable.connect`
client      the curator that it gives
received    its answers and budgets
server      listening
"""
