"""How Sphinx builds the site: `make docs`, warnings are errors."""

import sys
from pathlib import Path

import coppice

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# The table of the core's modules.
sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

project = "Coppice"
author = "the Coppice authors"
project_copyright = author
release = coppice.__version__
extensions = [
    "attributes",
    "findings_figure",
    "formulas",
    "generated_pages",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_ext"]
html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_title = f"Coppice {release}"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# In docstrings, too, single backticks hold code.
default_role = "code"
nitpicky = False
