"""All models that there are."""

from deniable.learn.learner import Learner
from deniable.learn.models.boosted_stumps import BoostedStumps
from deniable.learn.models.k_means import KMeans
from deniable.learn.models.linear_regression import LinearRegression
from deniable.learn.models.logistic_regression import LogisticRegression
from deniable.learn.models.naive_bayes import NaiveBayes
from deniable.learn.models.pca import PCA

LEARNERS: tuple[type[Learner], ...] = (
    BoostedStumps,
    KMeans,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
    PCA,
)
