"""How a question is written: other spellings of what is known, misspelt words, and its own words in refusals."""
