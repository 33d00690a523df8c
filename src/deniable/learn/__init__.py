"""Models trained under a budget, with scikit-learn's conventions; scikit-learn itself is not needed.

    learner      what a model is: it asks for noisy sums, one after the other, and makes itself of them
    inputs       rows that people hold become the vectors that a model was trained on
    card, saved  what a model is and is not, in words; models as JSON
    score, choose    how well a model does on private rows, and the best of several; both are paid for
    synthetic    any other model, on synthetic rows
    models       one model per file

A model never sees a row. What it asks for (core/vectors) is charged before the first sum, as any question is:
curator/training.
"""

from deniable.learn.choose import choose
from deniable.learn.models.boosted_stumps import BoostedStumps
from deniable.learn.models.k_means import KMeans
from deniable.learn.models.linear_regression import LinearRegression
from deniable.learn.models.logistic_regression import LogisticRegression
from deniable.learn.models.naive_bayes import NaiveBayes
from deniable.learn.models.pca import PCA
from deniable.learn.saved import load
from deniable.learn.synthetic import on_synthetic

__all__ = [
    "PCA",
    "BoostedStumps",
    "KMeans",
    "LinearRegression",
    "LogisticRegression",
    "NaiveBayes",
    "choose",
    "load",
    "on_synthetic",
]
