"""One model per file.

    linear_regression, logistic_regression, naive_bayes, k_means, pca, boosted_stumps

`newton` is the method that two of them share, `margins` says how likely classes are, `every` lists all models.
"""
