"""How `make docs` builds the site: Sphinx with MyST, the pydata theme, and three small extensions of our own.

Nothing is fetched when a page is viewed: fonts, search and pictures are shipped. Warnings are errors.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import deniable

project = "Deniable"
author = "The Deniable contributors"
copyright = "The Deniable contributors, Apache-2.0"  # noqa: A001 - the name that Sphinx reads
version = release = deniable.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "code_blocks",
    "repository_files",
    "theorem_fields",
]
exclude_patterns = ["_extensions"]
templates_path = ["_templates"]
nitpicky = False
show_warning_types = True

# Pages are Markdown as code hosts show it: links by file and by heading.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages begin sections where they read best

# Notebooks run in every build, in a state of their own, and one that fails fails the build.
nb_execution_mode = os.environ.get("DENIABLE_DOCS_NOTEBOOKS", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
for variable in ("DENIABLE_STATE", "DENIABLE_CACHE"):
    os.environ.setdefault(variable, tempfile.mkdtemp(prefix="deniable-docs-"))

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
add_module_names = False
python_maximum_signature_line_length = 100

html_theme = "pydata_sphinx_theme"
html_title = f"Deniable {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
_pictures = sorted((Path(__file__).parent / "_static/pictures").glob("*.js"), key=lambda file: file.stem != "draw")
html_js_files = [(name, {"defer": "defer"}) for name in ("copy.js", *(f"pictures/{file.name}" for file in _pictures))]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": f"Deniable {release}"},
    "navbar_align": "left",
    "navbar_end": [*["versions"] * ("DENIABLE_DOCS_SITE" in os.environ), "theme-switcher"],  # see make site
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "use_edit_page_button": False,
    "back_to_top_button": True,
}
