"""Who asks, and when answers leave: what every door goes through, so that doors translate and never decide.

tokens, scram   who somebody is: random tokens, of which only digests are kept
entrance        letting in, and turning away: every failure has the same words and takes the same time
limits          how much anyone may ask for at once: rates, waiting, sizes
schedule        when an answer leaves: at a deadline that does not depend on the data
population      one policy that is served: its curator, its places in the engine, what is on its way
recent          what was seen lately
session         what one person may do: explain, ask, batch, release, budget, history
visits          somebody who has shown a token once, and is known by a cookie from then on
titles          what analysts call their own questions
orders          what custodians had made, so that it is found again
custodian/      what custodians and reviewers may do: tokens, ledger, policy, metrics, publishing
service         all populations of one server
log, metrics    what the custodian sees of it; never a row, a raw count or a constant of a question
"""
