"""One model per file.

    linear_regression, logistic_regression, naive_bayes, k_means, pca, boosted_stumps

`newton` is the method by which two of them find their weights, `margins` what these say of classes; `every` lists all
models.
"""
