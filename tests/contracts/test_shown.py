"""What every result keeps: it is its own picture, everywhere the same, and has the same names as all others."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from importlib import import_module
from io import StringIO
from pkgutil import walk_packages

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len
from rich.console import Console

import deniable
from deniable.core.errors import InvalidArgumentError
from deniable.core.loss import Loss
from deniable.curator.answers.answer import Answer
from deniable.curator.public.answer import PublicAnswer
from deniable.display import Shown
from deniable.display.terminal import text_of
from deniable.learn import LinearRegression
from deniable.local import KaryResponse
from deniable.local.estimate import Estimate
from deniable.releases import Synthesis, Workload, anonymize, hierarchy
from deniable.releases.linear.design import LinearDesign
from deniable.releases.linear.release import Release
from deniable.releases.syntactic.report.anonymized_table import AnonymizedTable
from tests.support.curators import curator
from tests.support.tables import policy, visits

BY_REGION = "SELECT region, urgent, COUNT(*) AS n, AVG(cost) AS cost FROM visits GROUP BY region, urgent"
ROOMS = ("curator", "display", "planner", "releases", "local")
NOISY = ("Answer", "OuterAnswer", "Release", "Estimate")
TAGS = {"style", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
REPORT = {"article", "section", "h1", "h2", "svg", "g", "rect", "text", "title", "line"}
HOSTILE = "</td><script>alert('x')</script>\x1b[31m[red]&amp;"


def kinds(base: type[Shown]) -> set[type[Shown]]:
    """Every kind of result there is."""
    for room in ROOMS:
        package = import_module(f"deniable.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    below = set(base.__subclasses__())
    return below | {kind for child in below for kind in kinds(child)}


KINDS = sorted({kind.__name__ for kind in kinds(Shown)} - {"NoisyAnswer", "QuotedLines", "Tabular"})


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    with curator(folder, visits(600, seed=1), policy(folder, contribution=5, epsilon=50)) as opened:
        yield opened


@pytest.fixture(scope="module")
def results(house) -> dict[str, Shown]:
    """One of each kind."""
    work = Workload.ranges("age // 10") | Workload.histogram("region") | Workload.prefixes("day")
    survey = KaryResponse(["bus", "car", "walk"], 1)
    people = pa.table({"zip": ["13053", "13068", "14853", "14850"], "condition": ["flu", "cold", "flu", "cold"]})
    return {
        "Answer": house.ask(BY_REGION, epsilon="0.5"),
        "Quote": house.explain(BY_REGION, epsilon="0.5"),
        "BatchQuote": house.explain_all([BY_REGION, "SELECT COUNT(*) AS n FROM visits"], epsilon="0.5"),
        "Budget": house.budget(),
        "OuterAnswer": house.ask(f"SELECT region, n, n * 2 AS twice FROM ({BY_REGION}) AS q", epsilon="0.5"),
        "Profile": house.profile(rho="0.05"),
        "PublicAnswer": PublicAnswer(pa.table({"hospital": ["east", "west"], "beds": [40, 60]})),
        "Release": house.release(work, rho="0.05"),
        "SynthesisQuote": house.explain(Synthesis("visits", ["region", "urgent"]), rho="0.05"),
        "SyntheticRelease": house.synthesize("visits", columns=["region", "urgent"], rho="0.05"),
        "ReleaseQuote": house.explain(work, rho="0.05"),
        "TrainingQuote": LinearRegression().explain(house, "SELECT age, cost FROM visits", target="cost", rho="0.05"),
        "Estimate": survey.estimate(survey.perturb(["bus"] * 100 + ["car"] * 300)),
        "AnonymizedTable": anonymize(
            people, quasi_identifiers={"zip": hierarchy.mask(5)}, sensitive="condition", k=2, l=2
        ),
    }


every = pytest.mark.parametrize("kind", KINDS)
noisy = pytest.mark.parametrize("kind", NOISY)


def test_there_is_one_of_each_kind(results):
    assert sorted(results) == KINDS


@every
@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_fits_its_terminal(results, kind, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = repr(results[kind]).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert repr(results[kind]) == str(results[kind]) == text_of(results[kind].sheet(), width)
    assert all(line == line.rstrip() for line in lines)
    assert "…" not in "".join(lines).replace("… and", "")


@every
def test_plain_text_has_no_colours_and_shows_its_numbers_and_its_price(results, kind):
    text = repr(results[kind])
    assert text.replace("\n", "").isprintable()
    assert re.search(r"\d", text)
    sheet = results[kind].sheet()
    assert " ".join(sheet.price.split()) in " ".join(text.split())
    assert len(sheet.price.splitlines()) == 1 or kind == "Budget"
    for note in sheet.notes:
        assert " ".join(note.split()) in " ".join(text.split())


@noisy
def test_a_noisy_number_has_its_error_beside_it_and_says_how_sure(results, kind):
    text = repr(results[kind])
    assert re.search(r"\d ± \d|\d \(-?\d", text)
    assert re.search(r"± (at|noise,) 95% confidence", text)


@every
def test_a_terminal_shows_the_same(results, kind):
    written = StringIO()
    Console(width=100, file=written, force_terminal=True, color_system="truecolor").print(results[kind])
    assert "\x1b" in written.getvalue()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written.getvalue())
    shown = "\n".join(line.rstrip() for line in plain.splitlines())
    assert shown.startswith(text_of(results[kind].sheet(), 100))


class Tags(HTMLParser):
    """Which tags there are, and which are open."""

    def __init__(self) -> None:
        super().__init__()
        self.seen, self.open, self.text = set(), [], ""

    def handle_starttag(self, tag, attrs):
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html: str) -> Tags:
    parser = Tags()
    parser.feed(html)
    parser.close()
    return parser


@every
def test_a_notebook_shows_the_same_and_every_tag_is_ours(results, kind):
    found = read(results[kind]._repr_html_())
    assert found.open == []
    assert found.seen <= (TAGS | REPORT if kind == "AnonymizedTable" else TAGS)
    sheet = results[kind].sheet()
    for text in (*sheet.price.splitlines(), *sheet.notes, *(column.name for column in sheet.columns)):
        assert text in found.text
    for column in sheet.columns:
        for value, error in column.cells:
            assert value in found.text
            assert error in found.text


@every
def test_a_page_may_be_dark_or_light(results, kind):
    if kind != "AnonymizedTable":  # its report is a sheet of paper
        style = results[kind]._repr_html_().partition("</style>")[0]
        assert not re.search(r"(?<!-)color:(?!inherit)|background:(?!none)|#[0-9a-f]{3}", style)


@every
def test_the_same_names(results, kind, tmp_path):
    result = results[kind]
    assert isinstance(result.table, pa.Table)
    assert isinstance(result.notes, tuple)
    assert isinstance(result.loss, Loss) or (kind == "AnonymizedTable" and result.loss is None)
    assert list(result.to_pandas().columns) == result.to_polars().columns == result.table.column_names
    assert result.to_polars().height == result.table.num_rows
    filed = result.with_intervals
    assert result.to_csv(tmp_path / "x.csv") == tmp_path / "x.csv"
    assert pc.read_csv(tmp_path / "x.csv").column_names == filed.column_names
    assert pq.read_table(result.to_parquet(str(tmp_path / "x.parquet"))).num_rows == filed.num_rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.parquet"]


@every
def test_all_of_it_can_be_said_in_json(results, kind):
    said = json.loads(json.dumps(results[kind].to_dict(), allow_nan=False))
    assert said["notes"] == list(results[kind].notes)
    if kind in NOISY:
        assert len(said["rows"]) == results[kind].table.num_rows
        assert set(said["rows"][0]) >= set(results[kind].intervals.column_names)


@noisy
def test_intervals_hold_their_numbers_and_go_into_files(results, kind):
    result = results[kind]
    names = result.intervals.column_names
    assert result.with_intervals.column_names == [*result.table.column_names, *names]
    assert result.intervals.num_rows == result.table.num_rows
    for low, high in zip(names[::2], names[1::2], strict=True):
        assert (low.removesuffix("_low"), high) == (high.removesuffix("_high"), high)
        assert low.removesuffix("_low") in result.table.column_names
        for least, most in zip(result.intervals[low].to_pylist(), result.intervals[high].to_pylist(), strict=True):
            assert least is most is None or least <= most


@pytest.mark.parametrize("kind", [*NOISY, "AnonymizedTable"])
def test_pictures_name_their_axes(results, kind):
    drawn = results[kind].plot()
    if kind != "AnonymizedTable":
        assert drawn.get_xlabel()
        assert drawn.get_ylabel()
        assert drawn.get_title()


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("pandas", lambda result: result.to_pandas(), "pandas"),
        ("polars", lambda result: result.to_polars(), "polars"),
        ("matplotlib.figure", lambda result: result.plot(), "plot"),
    ],
)
@pytest.mark.parametrize("kind", [*NOISY, "AnonymizedTable"])
def test_what_is_missing_is_what_to_install(results, kind, module, call, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InvalidArgumentError, match=rf"pip install 'deniable\[{extra}\]'"):
        call(results[kind])


def test_looking_again_works_nothing_out_again(house, monkeypatch):
    answer, release = house.ask(BY_REGION, epsilon="0.4"), house.release(Workload.histogram("region"), rho="0.01")
    counted = []
    for kind, name in ((Answer, "_columns"), (LinearDesign, "radius"), (LinearDesign, "answers")):
        inner = getattr(kind, name)

        def counting(*arguments, inner=inner, name=name):
            counted.append(name)
            return inner(*arguments)

        monkeypatch.setattr(kind, name, counting)
    for result in (answer, release):
        for _ in range(2):
            _ = repr(result), result._repr_html_(), result.table, result.intervals, result.to_dict(), result.plot()
    assert sorted(counted) == ["_columns", "answers", "radius"]


def test_nothing_in_a_result_is_obeyed():
    """Names from the data or the question are text, for a terminal and for a page."""
    frame = pa.table({"town": [HOSTILE] * 40, "age": [30] * 40})
    with deniable.protect(frame, epsilon=5, bounds={"age": (0, 110)}, values={"town": [HOSTILE]}) as house:
        answer = house.ask(f'SELECT town, COUNT(*) AS "{HOSTILE}" FROM data GROUP BY town', epsilon=1)
        quote = house.explain(f'SELECT COUNT(*) AS "{HOSTILE}" FROM data', epsilon=1)
        release = house.release(Workload.histogram("town"), epsilon=1)
    survey = KaryResponse([HOSTILE, "x"], 1)
    estimate = survey.estimate(survey.perturb(["x"] * 10))
    table = anonymize(frame, quasi_identifiers={"town": None}, sensitive="age", k=2)
    for result in (answer, quote, release, estimate, table):
        assert "\x1b" not in repr(result)
        assert "[red]" in "".join(repr(result).split())
        assert "<script" not in result._repr_html_()
        assert "alert" in read(result._repr_html_()).text
    assert {type(one) for one in (answer, release, estimate, table)} == {Answer, Release, Estimate, AnonymizedTable}
