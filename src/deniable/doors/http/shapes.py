"""What bodies look like, on the way in and on the way out: the source of `/openapi.json`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictFloat

from deniable.planner.wording.parameters import Filled, filled
from deniable.service.hints import KNOWN, hinted, merged
from deniable.service.tokens import Role

Number = str | StrictFloat
"""As people write it; texts are exact. `true` is none: it would be one, and paid for."""
Value = bool | int | float | str | None
_Words = Annotated[str, Field(min_length=1, max_length=20_000)]
Loss = dict[str, float]
"""The forms that are proven: epsilon, rho, mu, delta."""


class SpendBody(BaseModel):
    """How a question is paid: one of epsilon, rho and accuracy, or else the analyst's usual spend."""

    model_config = ConfigDict(extra="forbid")
    epsilon: Number | None = None
    rho: Number | None = None
    accuracy: Number | None = None
    delta: Number | None = None
    confidence: Number | None = None
    rows: Number | None = Field(default=None, description="How many rows a group is expected to have.")
    contribution: Number | None = Field(default=None, description="Fewer rows of one person than the policy allows.")
    simultaneous: bool | str | None = Field(default=None, description="All intervals of the answer hold at once.")
    after: str | list[str] | None = Field(
        default=None, description="Steps after the noise: nonnegative, whole, consistent, nonzero."
    )

    def named(self) -> dict[str, Any]:
        """Only what was said."""
        return {name: given for name in KNOWN if (given := getattr(self, name)) is not None}


class QuestionBody(SpendBody):
    """A question, in SQL."""

    sql: _Words
    params: list[Value] | dict[str, Value] | None = Field(
        default=None, description="The values of `?` and `$1`, or of `:name`."
    )

    def settled(self) -> tuple[Filled, dict[str, Any]]:
        """The question without its hint, with its parameters' values, and how it is paid: the hint comes first."""
        plain, hint = hinted(self.sql)
        return filled(plain, self.params), merged(hint, self.named())


class BatchBody(SpendBody):
    """Questions that are fixed in advance, for one spend."""

    questions: list[_Words] = Field(min_length=1, max_length=100)
    params: list[list[Value] | dict[str, Value] | None] | None = None


class ReleaseBody(SpendBody):
    """Many counts at once: a workload, written as in a workload's file."""

    workload: dict[str, Any]


class TokenBody(BaseModel):
    """Whom a token is for, what it allows, and for how long."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=63)
    role: Role = Role.ANALYST
    days: StrictFloat | None = Field(default=None, gt=0, le=36_500)


class PriceLineBody(BaseModel):
    """One noisy column of a price."""

    column: str
    mechanism: str
    sensitivity: float
    scale: float
    error: float = Field(description="What the noise exceeds only with probability 1 - confidence.")


class PriceBody(BaseModel):
    """What a question would cost, and how accurate it would be."""

    loss: Loss
    columns: list[PriceLineBody]
    confidence: float
    groups: int | None = Field(description="Rows of the answer; null: only the data knows.")
    shown_from: float | None = Field(description="Groups of fewer people are hidden, where keys are private.")
    notes: list[str]
    person: bool = Field(description="Whether the protected unit is a person, or else a row.")


class AnswerBody(BaseModel):
    """A noisy answer: rows with their intervals, what was paid, and what that means."""

    rows: list[dict[str, Any]]
    loss: Loss
    free: bool = Field(description="Whether it cost nothing: it was asked before, or is about public tables.")
    share: bool = Field(
        default=False, description="Whether the analyst's share alone has paid: the population's budget had before."
    )
    meaning: str | None = None
    notes: list[str]
    confidence: float | None = None
    noisy: list[str] | None = Field(default=None, description="Columns n that have n_low and n_high beside them.")
    strategy: str | None = Field(default=None, description="Of a release: what was measured.")


class BatchAnswerBody(BaseModel):
    """The answers of a batch, in the order of its questions."""

    answers: list[AnswerBody]


class LaterBody(BaseModel):
    """A question whose answer comes later; Location says where."""

    id: str
    stage: str = Field(description="queued, started or charged")


class TablesBody(BaseModel):
    """What may be asked about. All of it is public."""

    population: str
    tables: dict[str, dict[str, Any]]


class PolicyBody(BaseModel):
    """What the custodian has declared."""

    population: str
    neighbours: str
    budget: dict[str, float]
    release_after: float = Field(description="Seconds until an answer leaves.")
    per_question: float | None = Field(description="What your questions cost unless they say.")
    digest: str


class SeenBody(BaseModel):
    """A declared column, what it allows, and what is wrong with it."""

    table: str
    column: str
    kind: str
    allows: str
    problem: str


class CheckBody(BaseModel):
    """Whether the files are as the policy says."""

    columns: list[SeenBody]
    fits: bool


class AccountBody(BaseModel):
    """One account."""

    name: str
    total: Loss
    spent: Loss
    remaining: Loss
    largest_epsilon: float
    largest_rho: float
    notes: list[str]
    rules: list[str]


class AccountsBody(BaseModel):
    """Every account that you may see."""

    accounts: list[AccountBody]


class ChargeBody(BaseModel):
    """One line of a history."""

    entry: int
    written: str = Field(description="When it was charged.")
    analyst: str
    question: str
    loss: Loss
    shown: bool


class HistoryBody(BaseModel):
    """Charges, oldest first; `next` is what `after` must be for those that follow."""

    charges: list[ChargeBody]
    next: int | None


class VerifiedBody(BaseModel):
    """A ledger in which every entry fits the one before."""

    entries: int
    head: str


class TokenShownBody(BaseModel):
    """What is known of a token. The token itself is not kept."""

    id: str
    name: str
    role: Role
    created: str
    expires: str | None
    revoked: str | None
    state: str


class TokenGivenBody(TokenShownBody):
    """A new token, which is shown this once."""

    token: str


class TokenListBody(BaseModel):
    """Every token that was ever given."""

    tokens: list[TokenShownBody]


class TokensEndedBody(BaseModel):
    """The ids of the tokens that have ended."""

    revoked: list[str]


class HealthBody(BaseModel):
    """That the server is there."""

    status: str


class ProblemBody(BaseModel):
    """A refusal or a failure (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request: str | None = None
    hint: str | None = None
    position: list[int] | None = Field(default=None, description="Where in the question, in characters: from, to.")
