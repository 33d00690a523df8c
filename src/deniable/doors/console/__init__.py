"""The console: pages in a browser for analysts, custodians and reviewers, on the HTTP door, by the same sessions.

app         all pages of one server, and what is said when something goes wrong
pages       how a page is made: templates, headers, what every page knows
visitors    who is visiting: the cookie, forms that come from our own pages
entrance    signing in and out
asking      the Ask page: what is written, its price, and paying for it
written     what a form says: a question, and how it is paid
builder     a question from buttons: table, what, by what, where
begun       questions that have begun, and where their answers will be
answers     answers that are on their way, or there; downloads
sheets      an answer as cells with error bars
charts      pictures: bars with whiskers, lines with a band, an account that falls
snippets    the same question in Python, psql and curl; a notebook
history     what was asked before
accounts    budgets, and requests for more
data        what the policy promises, in sentences
custody     for custodians: the policy, people, activity
review      for reviewers: the ledger, whether it holds, what the policy has meant
"""
