"""The order of the tour, and what is said on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from deniable.attacks import (
    Attack,
    Averaging,
    Background,
    BitRefusals,
    Composition,
    Differencing,
    Homogeneity,
    Linkage,
    MaxRefusals,
    Membership,
    Model,
    Months,
    Pairs,
    Ranking,
    Reconstruction,
    Resemblance,
    SinglingOut,
    Skewness,
    Uniqueness,
)


@dataclass(frozen=True, slots=True)
class Stop:
    """An attack on the tour, and its story."""

    attack: Attack[Any]
    story: str
    note: str = ""
    """What tells two runs of the same attack apart."""

    @property
    def label(self) -> str:
        """In the matrix."""
        return f"{self.attack.name} ({self.note})" if self.note else self.attack.name


@dataclass(frozen=True, slots=True)
class Chapter:
    """Attacks on the same kind of defence."""

    title: str
    text: str
    stops: tuple[Stop, ...]


OPENING = (
    "A hospital wants its data to be useful and its patients to be safe. For fifty years people have tried to get "
    "both by common sense: take the names away, answer only about large groups, refuse what looks dangerous, round, "
    "add a little noise. This page runs an attack against each of these ideas, on made-up people, and counts what "
    "comes out. Every number is a share: of people, of values, of right guesses. Beside it stands what blind "
    "guessing reaches and, where a defence promises an epsilon, what the theory allows."
)

CLOSING = (
    "No wish that an attacker should learn nothing can be granted if the data teaches anything: a study which finds "
    "that smoking causes cancer harms a smoker who was never in it (Dwork, Naor 2010, on a wish of Dalenius 1977). "
    "What can be promised is that nothing more follows because you took part. That is differential privacy: whoever "
    "sees every answer, knows everything about everybody else, and can compute without end, changes the odds of "
    "anything about you by at most e^epsilon. It is a property of the algorithm and not of its output, so it "
    "survives all that was shown above: linkage, background knowledge, repeats, refusals, and other tables. It is "
    "not free. It costs noise, and a budget that ends. The attacks say why: whoever answers too many questions too "
    "exactly has published the table."
)

CHAPTERS: Sequence[Chapter] = (
    Chapter(
        "Questions",
        "Nobody sees the table. Analysts ask for counts, sums and means of groups of people, and something between "
        "them and the table decides what they hear.",
        (
            Stop(
                Differencing(),
                "Five patients have a mean blood sugar of 5.58; the four who are not Bob have 5.50. Five times 5.58 "
                "minus four times 5.50 is 5.9, and that is Bob. Here it is done to a hundred patients, through a "
                "system that answers only about groups of ten or more.",
            ),
            Stop(
                Pairs(),
                "So names are taken out of the questions, and only town, job, decade of birth and sex may be asked "
                "for. A computer lists every set that two such conditions describe and looks for two sets that "
                "differ in one person.",
            ),
            Stop(
                SinglingOut(),
                "So the hospital answers from a random sample of three in ten. Whoever is out of it adds nothing to "
                "any sum. Whoever is in it adds exactly their value: the attacker sees who is who.",
            ),
            Stop(
                Averaging(),
                "So every answer gets fresh Laplace noise, enough to hide one person. Ask a hundred times and take "
                "the mean.",
                "same words",
            ),
            Stop(
                Averaging(way="respell"),
                "So the same question gets the same noise. Ask for the same people in other words.",
                "other words",
            ),
            Stop(
                Averaging(way="split"),
                "So the same set of people gets the same noise, whatever the words. Ask about a random half of the "
                "hospital with the victim, and without; then about another half. Rounding falls to this as well: one "
                "person pushes one sum in five over the edge, and nobody else does.",
                "other sets",
            ),
            Stop(
                Months(),
                "So noise is put on the data itself, once, and no question brings fresh noise. But a patient is in "
                "the table month after month, and each month has noise of its own.",
            ),
            Stop(
                Reconstruction(n=100),
                "And now all of them at once. Ask how many people have the trait in random halves of the table, take "
                "every answer as it comes, noisy, rounded or audited, and solve for the table that fits best. Dinur "
                "and Nissim proved in 2003 that this succeeds against any defence whose error is well below the "
                "square root of n, whatever the error looks like. The field begins here.",
            ),
            Stop(
                Membership(),
                "One more: nobody asks about single people at all. A clinic publishes the means of a thousand "
                "columns over its patients, as geneticists did until 2008. Somebody who has your genome can tell "
                "whether you are in the mean.",
            ),
        ),
    ),
    Chapter(
        "Refusals",
        "An auditor reads every question, keeps all answers in mind, and refuses a question when its answer would "
        "give somebody away. What does the refusal say?",
        (
            Stop(
                MaxRefusals(),
                "The largest salary among men is 2, among first-year students 3; Xi is the only woman among them, so "
                "she earns 3. An auditor refuses the second answer, and by refusing says that the maximum is hers. "
                "Here the same is done with groups of four.",
            ),
            Stop(
                BitRefusals(),
                "Counts of yes and no are worse. The auditor refuses a pair exactly if both have the trait or "
                "neither, so its refusals spell out the list.",
            ),
        ),
    ),
    Chapter(
        "Tables",
        "No questions: a table is published once, without names, and the hospital hopes that nobody is recognised in "
        "it.",
        (
            Stop(
                Uniqueness(),
                "How many people share your birthday, your zip code and your sex? In a town of ten thousand, mostly "
                "nobody. Sweeney found in 2000 that the three name 87% of Americans; Golle counted again in 2006 and "
                "found 63%.",
            ),
            Stop(
                Linkage(),
                "So join the table with the voters' list. That is how the governor of Massachusetts was found among "
                "hospital records, a user among 650,000 searchers at AOL, and subscribers among the films of "
                "Netflix.",
            ),
            Stop(
                Homogeneity(),
                "So make at least k people look alike. Bob is 31 and lives in 13053. Four rows fit him, all four say "
                "cancer, and nobody needs to know which one is his.",
            ),
            Stop(
                Background(),
                "So demand several diseases in every group. How many are left depends on what the reader knows "
                "already. Here the reader can rule out six of the twelve diseases, as a neighbour could.",
            ),
            Stop(
                Skewness(),
                "And a group that holds both values may still say much: one person in fifty is infected, but one in "
                "five of those who look like you.",
            ),
            Stop(
                Composition(),
                "And nobody publishes alone. Alice is 28, from 13012, and was in two hospitals. One table leaves "
                "three diseases, the other four, and only one is in both.",
            ),
        ),
    ),
    Chapter(
        "Made-up rows, models and rankings",
        "What is published need not be anybody's data. Rows were made up after people; a model was fitted to them; a "
        "list of results was sorted for one.",
        (
            Stop(
                Resemblance(),
                "No real row is published at all: a generator makes up new ones. Where do they come from? Look for "
                "the made-up row that is most like you. If it is far more like you than such rows usually are, the "
                "generator has met you.",
            ),
            Stop(
                Model(),
                "A logistic regression with more features than patients learns its patients by heart. Whoever has "
                "the weights computes your loss, and a small loss says that you were there.",
            ),
            Stop(
                Ranking(),
                "A recommender ranks advertisements by a profile that nobody else may see. An advertiser plants "
                "two accounts, one of 49 and one of 50, and looks at what each is shown. From then on, a click tells "
                "an age.",
            ),
        ),
    ),
)
