"""Puts the sites of several versions side by side: one folder each, and a menu on every page that leads to the others.

    python docs/versions.py build/site

The list of versions is one small script beside the folders, so that pages of an old version know the new ones, and
that the menu works from a disk as well, where a page may fetch nothing.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

_MENU = """\
// The versions of this site, the newest first, and the menus that switch between them. Made by docs/versions.py.
"use strict";
for (const menu of document.querySelectorAll("select.versions[hidden]")) {
  for (const version of VERSIONS) menu.append(new Option(version, version, false, version === menu.dataset.here));
  menu.addEventListener("change", () => (location.href = `${menu.dataset.root}${menu.value}/index.html`));
  menu.hidden = false;
}
"""


def link(site: Path) -> list[str]:
    """Writes the list, and a first page that leads to the newest version; returns the versions."""
    folders = [folder.name for folder in site.iterdir() if (folder / "index.html").is_file()]
    versions = sorted(folders, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    (site / "versions.js").write_text(_MENU.replace("VERSIONS", json.dumps(versions)), encoding="utf-8")
    to = f"{versions[0]}/index.html"
    page = f'<title>Deniable</title><meta http-equiv="refresh" content="0; url={to}"><a href="{to}">{to}</a>'
    (site / "index.html").write_text(f"<!doctype html>{page}\n", encoding="utf-8")
    return versions


if __name__ == "__main__":
    sys.stdout.write(f"versions: {', '.join(link(Path(sys.argv[1])))}\n")
