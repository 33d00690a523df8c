"""Quotes of releases: their lines as a table, and notes that are added."""

from fractions import Fraction

from deniable.mechanisms import Gaussian
from deniable.releases.synthetic.report.quote import SynthesisLine, SynthesisQuote


def test_lines_are_rows_and_notes_are_added():
    line = SynthesisLine("visits", "certificate", 3, 0.05, 2.5)
    quote = SynthesisQuote(Gaussian(sensitivity=1, rho=Fraction(1)).loss, (line, line), Fraction(95, 100), ("first",))
    more = quote.with_notes(["second"])
    assert (
        quote.table.to_pylist()
        == [{"table": "visits", "measured": "certificate", "numbers": 3, "share": 0.05, "deviation": 2.5}] * 2
    )
    assert more.notes == ("first", "second")
    assert quote.notes == ("first",)
