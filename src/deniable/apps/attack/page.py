"""The tour as one page that needs nothing else: no network, no script, no font."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from deniable.apps.attack.lecture import CLOSING, OPENING, Chapter
from deniable.apps.attack.svg import draw
from deniable.apps.attack.tour import Tour, Visited, defences_of, kept, verdict
from deniable.attacks import Outcome
from deniable.attacks.outcome import CONFIDENCE, Scale
from deniable.attacks.picture import Picture

_STYLE = """
:root { --ink: #1f2933; --dim: #6b7785; --paper: #f6f8fa; --card: #fff; --line: #d9e0e7; --accent: #1668a7; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 5rem; max-width: 84rem; background: var(--paper); color: var(--ink);
       font: 17px/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 2.3rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.7rem; margin: 4rem 0 .5rem; padding-top: 1rem; border-top: 3px solid var(--ink); }
h3 { font-size: 1.3rem; margin: 2.75rem 0 .4rem; }
p { max-width: 46rem; margin: .5rem 0; }
a { color: var(--accent); }
.lesson { border-left: 4px solid var(--accent); padding-left: .9rem; font-weight: 600; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; margin: 1rem 0;
        align-items: start; }
@media (max-width: 40rem) { body { padding: 1.25rem .75rem 3rem; } .pair { grid-template-columns: 1fr; } }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem; }
figure svg { width: 100%; height: auto; }
figcaption { font-size: .92rem; color: var(--dim); padding: .25rem .4rem 0; }
.number { font-size: 2rem; font-weight: 700; line-height: 1.2; color: var(--ink); }
.number small { font-size: 1rem; font-weight: 400; }
.verdict { border-left: 4px solid #3f7d20; padding-left: .9rem; } .verdict.broken { border-color: #c2410c; }
.scroll { overflow-x: auto; margin: 1rem 0 2rem; }
table { border-collapse: collapse; font-size: .84rem; background: var(--card); }
th, td { border: 1px solid var(--line); padding: .25rem .4rem; line-height: 1.35; text-align: right;
         white-space: nowrap; }
th { font-weight: 600; } thead th { white-space: normal; vertical-align: bottom; }
tr > th:first-child { text-align: left; position: sticky; left: 0; background: var(--card); }
td small { color: var(--ink); opacity: .75; } td .bound { opacity: 1; }
td.none { background: var(--paper); }
nav { font-size: .95rem; margin: 1rem 0; } nav a { margin-right: 1rem; }
small { color: var(--dim); }
"""


def page(tour: Tour) -> str:
    """The whole page."""
    parts = [
        "<h1>What leaks</h1>",
        _paragraph(OPENING),
        f"<p><small>The curator's budget here is epsilon {escape(str(tour.epsilon))} for each attack.</small></p>",
        f"<nav>{_contents(tour)}</nav>",
        "<h2 id='matrix'>All of it in numbers</h2>",
        _paragraph(
            "Darker is worse: the share of what guessing leaves open that the attack took. Below each number stands "
            f"its {CONFIDENCE:.1%} interval: where it would come to lie with very many guesses. ≤ is what the theory "
            "allows there, on average. A number may lie above that by chance; only an interval that lies above it as a "
            "whole would break the promise. Point at a number to read how it came about."
        ),
        f'<p class="verdict{" broken" if kept(tour)[1] else ""}">{escape(verdict(tour))}</p>',
        *(_matrix(chapter, visited) for chapter, visited in tour.chapters),
    ]
    for chapter, visited in tour.chapters:
        parts.append(f'<h2 id="{_anchor(chapter)}">{escape(chapter.title)}</h2>{_paragraph(chapter.text)}')
        following = [*(each.stop.attack.name for each in visited[1:]), ""]
        parts += [
            _section(each, last=each.stop.attack.name != after) for each, after in zip(visited, following, strict=True)
        ]
    parts.append(f"<h2 id='promise'>What can be promised</h2>{_paragraph(CLOSING)}")
    body = "\n".join(parts)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>What leaks</title>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _contents(tour: Tour) -> str:
    links = [("matrix", "Matrix"), *((_anchor(chapter), chapter.title) for chapter, _ in tour.chapters)]
    return " ".join(
        f'<a href="#{name}">{escape(title)}</a>' for name, title in [*links, ("promise", "What can be promised")]
    )


def _anchor(chapter: Chapter) -> str:
    return chapter.title.lower().replace(" ", "-")


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _section(visited: Visited, *, last: bool) -> str:
    """One attack: the story, its classic victim beside what stops it, and, after its last variant, the lesson."""
    attack = visited.stop.attack
    note = f" <small>({escape(visited.stop.note)})</small>" if visited.stop.note else ""
    shown = dict.fromkeys((victim_of(visited), attack.saviour))
    outcomes = [visited.outcomes[name] for name in shown]
    pictures = [picture for outcome in outcomes for picture in outcome.pictures]
    figures = "".join(_figure(outcome, pictures) for outcome in outcomes)
    lesson = f'<p class="lesson">{escape(attack.lesson)}</p>' if last else ""
    return (
        f"<h3>{escape(attack.title)}{note}</h3>{_paragraph(visited.stop.story)}"
        f'<div class="pair">{figures}</div>{lesson}'
    )


def victim_of(visited: Visited) -> str:
    """The defence that falls: the classic one, or for a variant the one that it was invented against."""
    special = {"other words": "laplace-text", "other sets": "laplace-set"}
    return special.get(visited.stop.note, visited.stop.attack.victim)


def _figure(outcome: Outcome, beside: Sequence[Picture]) -> str:
    drawn = "".join(draw(picture, beside) for picture in outcome.pictures)
    which = "In the round that is drawn: " if outcome.rounds > 1 else ""
    return (
        f'<figure>{drawn}<figcaption><div class="number">{reached(outcome)}'
        f" <small>{escape(_interval(outcome))}</small></div>"
        f"{escape(outcome.measure)}, behind <b>{escape(outcome.defence)}</b>. {escape(context(outcome))} "
        f"{which}{escape(outcome.sentence)}</figcaption></figure>"
    )


def interval_words(outcome: Outcome) -> str:
    """The interval, in percent; nothing for beliefs, which have none, or where there was no guess."""
    if outcome.interval is None or not outcome.trials:
        return ""
    low, high = (f"{100 * end:.0f}" for end in outcome.interval)
    return f"{low} to {high}"


def _interval(outcome: Outcome) -> str:
    return f"({interval_words(outcome)})" if interval_words(outcome) else ""


def context(outcome: Outcome) -> str:
    """What to hold the number against, and what follows."""
    counted = f"Guessing: {percent(outcome.chance)}."
    if outcome.scale is Scale.SHARE and outcome.rounds > 1:
        counted = f"{outcome.right:,.0f} of {outcome.trials:,}, in {outcome.rounds} rounds. {counted}"
    if outcome.bound is None or outcome.epsilon is None:
        return counted
    allowed = f"Allowed at epsilon {float(outcome.epsilon):g}: {percent(outcome.bound)} on average."
    return f"{counted} {allowed} {'Kept.' if outcome.kept else 'Broken: more than chance explains.'}"


def reached(outcome: Outcome) -> str:
    """The number; a dash, if the attack never came to guess."""
    return percent(outcome.value) if outcome.trials else "-"


def percent(share: float) -> str:
    """Enough digits to tell small shares apart."""
    if abs(share) >= 0.1 or share == 0:  # noqa: PLR2004 - a tenth
        return f"{share:.0%}"
    return f"{share:.1%}" if abs(share) >= 0.001 else f"{100 * share:.1g}%"  # noqa: PLR2004 - a thousandth


def _matrix(chapter: Chapter, visited: Sequence[Visited]) -> str:
    """Attacks down, defences across."""
    names = defences_of(visited)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        f"<tr><th>{escape(each.stop.label)}</th><td>{percent(_any(each).chance)}</td>"
        + "".join(_cell(each.outcomes.get(name)) for name in names)
        + "</tr>"
        for each in visited
    )
    return (
        f"<h3>{escape(chapter.title)}</h3><div class='scroll'><table><thead><tr>"
        f"<th>attack</th><th>guessing</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _any(visited: Visited) -> Outcome:
    return next(iter(visited.outcomes.values()))


def _cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return '<td class="none"></td>'
    interval = f"<br><small>{interval_words(outcome)}</small>" if interval_words(outcome) else ""
    sign = "" if outcome.kept is None else "✓" if outcome.kept else "✗"
    bound = "" if outcome.bound is None else f'<br><small class="bound">≤ {percent(outcome.bound)} {sign}</small>'
    shade = f"rgba(194, 65, 12, {0.75 * outcome.gain:.2f})"
    title = escape(f"{outcome.measure}: {outcome.sentence}", quote=True)
    return f'<td style="background: {shade}" title="{title}">{reached(outcome)}{interval}{bound}</td>'
