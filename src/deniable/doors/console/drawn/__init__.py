"""How numbers look on a page: cells with error bars, pictures, words, and the same question elsewhere."""
