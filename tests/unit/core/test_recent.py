"""What was used last stays known, however many others come and go."""

from __future__ import annotations

from deniable.core.recent import Recent


def test_what_is_asked_for_in_turns_stays_known_while_there_is_room():
    recent = Recent(most=20)
    for turn in range(100):
        if recent.get(turn % 20) is None:
            recent.keep(turn % 20, turn)
    assert [recent.get(key) for key in range(20)] == list(range(20)), "none was ever forgotten"


def test_no_more_than_so_many_are_kept_and_the_least_used_goes_first():
    recent = Recent(most=3)
    for key in "abc":
        recent.keep(key, key)
    recent.keep("a", "anew")
    recent.get("b")
    recent.keep("d", "d")
    assert [recent.get(key) for key in "abcd"] == ["anew", "b", None, "d"]
