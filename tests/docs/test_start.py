"""The first page of the site works: everything that it tells a newcomer to type, in its order, on its own file."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/start/index.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ deniable ")]
    return [shlex.split(line)[1:] for line in lines]


def test_a_newcomer_gets_an_answer_by_typing_what_the_page_says(tmp_path: Path) -> None:
    (script,) = blocks("python")
    (policy,) = blocks("toml")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    printed = {}
    for words in commands():
        if words in (["--help"], ["demo"]):
            continue
        typed = [sys.executable, "-m", "deniable", *words]
        done = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        if words[0] == "init":
            drafted = (tmp_path / "visits.toml").read_text()
            assert 'unit = "patient"' in drafted
            (tmp_path / "visits.toml").write_text(policy)
        printed[" ".join(words[:2])] = done.stdout
    assert "warning" not in printed["check visits.toml"]
    assert re.search(r"north +[\d,]+ ± 20\d ", printed["ask visits.toml"])
    assert "paid ε 0.2" in printed["ask visits.toml"]
    assert re.search(r"epsilon \(pure\) +1 +0.2 +0.8", printed["budget visits.toml"])
