"""Bugs in error bars: nobody is less protected, and yet everybody is told something that is not so."""

from tests.planted.bug import Bug

_HOLD = "statistics/test_interval_widths.py::test_intervals_hold_as_often_as_they_say_and_hardly_more_often"
_AGREE = "statistics/test_consistent.py::test_intervals_hold_as_often_as_they_claim_and_errors_are_smaller"

BUGS = (
    Bug(
        "intervals without what a grid rounds",
        "planner/intervals/fieller.py",
        "total = total + finite(one.slack[name]) * np.maximum(counts[name], 0)",
        "total = total + 0 * np.maximum(counts[name], 0)",
        (
            "unit/planner/intervals/test_fieller.py::test_slack_grows_with_the_rows_that_there_may_be",
            "statistics/test_intervals.py::test_intervals_hold_what_the_grid_rounds[SUM(score) + 0 * COUNT(*)-laplace]",
        ),
    ),
    Bug(
        "a quantile of one side for both",
        "planner/intervals/law.py",
        "normal: FloatArray = -quantile(float(doubt) / 2)",
        "normal: FloatArray = -quantile(float(doubt))",
        (
            "unit/planner/intervals/test_law.py::test_combinations_exceed_their_radius_at_most_as_often_as_allowed",
            f"{_HOLD}[SUM(cost) - SUM(age)-gaussian]",
        ),
    ),
    Bug(
        "noise that dividend and divisor share, as if each had its own",
        "planner/intervals/fieller.py",
        "sizes = np.abs(top[:, None] - bottom[:, None] * values)",
        "sizes = np.sqrt(top[:, None] ** 2 + (bottom[:, None] * values) ** 2)",
        (
            "unit/planner/intervals/test_fieller.py",
            f"{_HOLD}[(COUNT(*) - COUNT(*) FILTER (WHERE urgent)) / COUNT(*)-laplace]",
        ),
    ),
    Bug(
        "factors of reconciled noises squared",
        "planner/intervals/combined.py",
        'step = float(f"{noise.step * abs(factor):.11e}")',
        'step = float(f"{noise.step * factor**2:.11e}")',
        (
            "unit/planner/intervals/test_combined.py::test_beside_another_noise_it_counts_with_all_its_parts",
            f"{_AGREE}[laplace]",
        ),
    ),
    Bug(
        "an exact law that has no digits left",
        "planner/intervals/law.py",
        "if not coarse or doubt < _LEAST_DOUBT:",
        "if not coarse:",
        (
            "unit/planner/intervals/test_law.py::test_however_small_the_doubt_several_noises_reach_farther_than_one",
            "flows/test_questions.py::test_a_surer_interval_is_never_narrower",
        ),
    ),
)
