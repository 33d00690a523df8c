"""The console: pages in a browser for analysts, custodians and reviewers, on the HTTP door, by the same sessions.

app         all pages of one server, and what is said when something goes wrong
pages       how a page is made: templates, headers, what every page knows
visitors    who is visiting: the cookie, forms that come from our own pages
entrance    signing in and out
asking      the Ask page: what is written, its price, and paying for it
written     what a form says: a question, and how it is paid
mending     what the hint of a refusal suggests, as buttons
builder     a question from buttons: table, what, by what, where
begun       questions that have begun, and where their answers will be
answers     answers that are on their way, or there; downloads
history     what was asked before
accounts    budgets, and requests for more
data        what the policy promises, in sentences
review      for reviewers: the ledger, whether it holds, what the policy has meant
proofs      the proofs behind its sums, and how to put them on trial
custodian   for custodians: people, activity, the policy, what is published
drawn       how numbers look: cells with error bars, pictures, words, the same question elsewhere
"""
