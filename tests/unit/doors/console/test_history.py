"""What was asked before: named, found again, put into a notebook; and nobody else's."""

import json
import shutil
import subprocess

import pytest

from deniable.core.errors import Refused
from deniable.doors.postgres.server import PostgresDoor
from tests.support.served import BY_REGION, COUNT

NASTY = "<img src=x onerror=window.broken=1>"


def test_a_question_gets_a_name_by_which_it_is_found_and_put_into_a_notebook(person):
    alice = person("alice")
    alice.ask(BY_REGION, "")
    alice.page.goto("/console/ask")
    alice.ask(COUNT, "")
    alice.page.goto("/console/history")
    alice.page.locator("summary:has-text('Rename')").first.click()
    alice.page.locator("input[name=title]:visible").fill(f"Everybody {NASTY}")
    alice.page.locator("button:has-text('Keep'):visible").click()
    alice.page.wait_for_selector(".named")
    assert alice.page.inner_text(".named") == f"Everybody {NASTY}"
    assert alice.page.evaluate("window.broken") is None
    alice.page.goto("/console/history?find=everybody")
    assert alice.page.locator("input[name=entry]").count() == 1
    alice.looks("history with a name")
    alice.page.check("input[name=entry]")
    with alice.page.expect_download() as kept:
        alice.page.click("text=Download a notebook")
    cells = json.loads(kept.value.path().read_text())["cells"]
    assert len(cells) == 3
    assert "Everybody" in "".join(cells[1]["source"])
    assert COUNT in "".join(cells[2]["source"])


@pytest.mark.parametrize("sql", [COUNT, "SELECT region,\n  COUNT(*) AS n\nFROM visits\nGROUP BY region"])
def test_the_notebook_and_the_same_elsewhere_run_and_give_the_same_for_free(person, door, monkeypatch, sql):
    alice, postgres = person("alice"), PostgresDoor(door.service)
    monkeypatch.setenv("TOKEN", door.tokens["alice"])
    door.do(lambda: postgres.listen("127.0.0.1", 0))
    try:
        alice.ask(sql, "")
        spent, shown = door.spent(), alice.page.inner_text("#answer tbody tr >> nth=0").split("\t")[-1]
        alice.page.goto("/console/history")
        with alice.page.expect_download() as kept:
            alice.page.click("text=Download a notebook")
        cells = json.loads(kept.value.path().read_text())["cells"]
        ran = {}
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), ran)  # noqa: S102 - as a notebook does
        assert ran["answer"].free
        ran["curator"].close()
        alice.page.click(f"table.list a:has-text('{sql.split()[-1]}') >> nth=0")
        alice.page.click("text=The same in Python")
        said = [alice.page.inner_text(f"#snippet{number}") for number in (1, 2, 3)]
        exec(said[0].replace("print(answer)", ""), ran)  # noqa: S102 - as whoever copies it does
        ran["curator"].close()
        first = ran["answer"].table.column("n")[0].as_py()
        assert f"{first:,}" in shown
        for program, command in zip(("psql", "curl"), said[1:], strict=True):
            if shutil.which(program):
                done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=True)
                assert str(first) in done.stdout, program
        assert door.spent() == spent
    finally:
        door.do(postgres.close)


def test_names_are_ones_own_and_for_ones_own_questions(door):
    async def tried():
        alice, bob = [await door.service.entrance.by_token(door.tokens[name], "console") for name in ("alice", "bob")]
        await alice.ask(COUNT, {"epsilon": "0.25"})
        await alice.name(1, "  mine \n only ")
        refused = []
        for entry, title in ((10_000, "none"), (1, "x" * 200)):
            with pytest.raises(Refused) as caught:
                await alice.name(entry, title)
            refused.append(caught.value.code)
        with pytest.raises(Refused) as caught:
            await bob.name(1, "hers")
        found = await alice.titles(), await bob.titles()
        await alice.name(1, "")
        return [*refused, caught.value.code], found, await alice.titles()

    refused, (hers, his), after = door.do(tried)
    assert refused == ["unknown-entry", "bad-title", "unknown-entry"]
    assert hers[1] == "mine only"
    assert his == {}
    assert 1 not in after
