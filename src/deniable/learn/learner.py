"""What a model is: it asks for noisy sums, one after the other, and makes itself of them."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number
from deniable.core.vectors.design import Encoding, VectorDesign
from deniable.core.vectors.kernel import Kernel
from deniable.learn.inputs import vectors_of
from deniable.learn.trained import Trained

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PaidSum:
    """A sum over private rows, and the part of the spend that pays for its noise."""

    kernel: Kernel
    share: Fraction


@dataclass(frozen=True, slots=True)
class NoisySum:
    """The sum with its noise, in the vectors' own unit, and the standard deviation of each number's noise."""

    values: FloatArray
    deviation: FloatArray


Training = Generator[PaidSum, NoisySum, Mapping[str, Any]]
"""Asks for sums, is sent each with its noise, and ends with what was learned, by attribute."""


class Learner(ABC):
    """A model that is trained on a curator's rows, or on an array.

    `fit(curator, "SELECT ...", target=..., rho=...)` pays once; whoever asks for the same gets the same model for
    nothing. An array is first put under the protection of a curator of its own, with the bounds, classes and spend
    that the model was made with: nothing is guessed from the data.
    """

    encoding: ClassVar[Encoding]
    """How columns become coordinates."""
    target: ClassVar[str]
    """What it needs: 'number', 'classes' or nothing."""
    does: ClassVar[str]
    """In a few words, for lists and cards."""
    spends: ClassVar[str]
    """How the spend is divided, in words."""

    trained_: Trained
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        bounds: Any = None,  # noqa: ANN401 - (low, high) for all columns, one pair each, or pairs by name
        values: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """All of it is for arrays; a curator has a policy, and is paid by `fit`."""
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.bounds = bounds
        self.values = values

    @abstractmethod
    def training(self, design: VectorDesign) -> Training:
        """Which sums, in which order. How many, and what each is paid, must follow from the design alone."""

    def fit(self, X: Any, y: Any = None, **how: Any) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Train on a curator's rows: `fit(curator, "SELECT ...", target="smoker", rho=0.1)`; or on an array.

        With a curator, pay by `rho`, or by `epsilon` and `delta`. `analyst` says whose share pays.
        """
        if hasattr(X, "train"):
            X.train(self, y, **how)
            return self
        from deniable.learn.arrays import fitted  # noqa: PLC0415 - curators do without

        return fitted(self, X, y, **how)

    def explain(self, curator: Any, sql: str | None = None, **how: Any) -> Any:  # noqa: ANN401 - a curator's quote
        """What `fit` would spend, and how large the noise is. Reads no private row, spends nothing."""
        return curator.explain_training(self, sql, **how)

    def learned(self, trained: Trained, attributes: Mapping[str, Any]) -> Self:
        """Take over what was learned."""
        for name, value in attributes.items():
            setattr(self, name, value)
        self.trained_ = trained
        names = [feature.name for feature in trained.design.features]
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        return self

    @property
    def design(self) -> VectorDesign:
        """How rows become vectors."""
        self._check_fitted()
        return self.trained_.design

    def card(self) -> Any:  # noqa: ANN401 - a card
        """What the model is and what it is not, to be read by people; it shows itself as text and as a page."""
        from deniable.learn.card import Card  # noqa: PLC0415 - drawing is needed only here

        return Card.of(self)

    def save(self, path: Any) -> Any:  # noqa: ANN401 - a path
        """The model as JSON, with its card inside. `deniable.learn.load` reads it; nothing in it is run."""
        from deniable.learn.saved import save  # noqa: PLC0415 - same

        return save(self, path)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - scikit-learn's signature
        """What the model was made with."""
        del deep
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **parameters: Any) -> Self:  # noqa: ANN401 - whatever it was made with
        """Change what the model is made with."""
        known = self._parameters()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}: {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """As it would be written."""
        given = {name: value for name, value in self.get_params().items() if value != self._defaults()[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __sklearn_is_fitted__(self) -> bool:
        """Whether it was trained."""
        return hasattr(self, "trained_")

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn's own
        """What scikit-learn asks about."""
        from deniable.learn.tags import tags  # noqa: PLC0415 - only scikit-learn asks

        return tags(self)

    def vectors(self, rows: Any) -> FloatArray:  # noqa: ANN401 - a frame or an array
        """Rows that people hold as the vectors that the model was trained on, long ones shrunk."""
        return vectors_of(self.design, rows, type(self).__name__)

    def _check_fitted(self) -> None:
        if not hasattr(self, "trained_"):
            try:
                from sklearn.exceptions import NotFittedError  # noqa: PLC0415 - scikit-learn is optional
            except ImportError:
                raise InvalidArgumentError(type(self).__name__, "is not fitted yet: call fit first") from None
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit first.")

    @classmethod
    def _parameters(cls) -> list[str]:
        return sorted(cls._defaults())

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__)
        return {name: one.default for name, one in signature.parameters.items() if name != "self"}


class Classifier(Learner):
    """A model that tells classes apart."""

    target = "classes"
    classes_: NDArray[Any]

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        bounds: Any = None,  # noqa: ANN401 - as in Learner
        values: Mapping[str, Sequence[Any]] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        """`classes` are those of an array's target."""
        super().__init__(epsilon=epsilon, delta=delta, rho=rho, bounds=bounds, values=values)
        self.classes = classes

    @property
    @abstractmethod
    def margins_(self) -> FloatArray:
        """What vectors are multiplied with: a row for the second of two classes, or for each; the largest wins."""

    @abstractmethod
    def predict_proba(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - scikit-learn's names
        """The chance of each class, in the order of `classes_`."""

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - same
        """The likeliest class."""
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])

    def predict_log_proba(self, X: Any) -> FloatArray:  # noqa: ANN401, N803 - same
        """The logarithms of the chances."""
        return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any = None, **how: Any) -> Any:  # noqa: ANN401, N803 - same
        """The part of rows whose class is right; on a curator's rows, a paid question: `score(curator, rho=...)`."""
        if hasattr(X, "train"):
            return X.score(self, y, **how)
        return float(np.mean(self.predict(X) == np.asarray(y)))
