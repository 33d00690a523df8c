"""All models that there are."""

from deniable.learn.boosted_stumps import BoostedStumps
from deniable.learn.k_means import KMeans
from deniable.learn.learner import Learner
from deniable.learn.linear_regression import LinearRegression
from deniable.learn.logistic_regression import LogisticRegression
from deniable.learn.naive_bayes import NaiveBayes
from deniable.learn.pca import PCA

LEARNERS: tuple[type[Learner], ...] = (
    BoostedStumps,
    KMeans,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
    PCA,
)
