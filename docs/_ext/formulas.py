"""Formulas as MathML, written when the site is built: a browser draws them without a script and a network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

logger = logging.getLogger(__name__)


def mathml(tex: str, display: str, place: Any = None) -> str:
    """A formula; a warning, which ends the build, if it holds a command that is not known."""
    found: str = convert(tex, display=display)
    if "\\" in found:
        logger.warning("a formula holds an unknown command: %s", tex, location=place)
    return found


def visit_math(self: Any, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(f'<span class="math">{mathml(node.astext(), "inline", node)}</span>')
    raise nodes.SkipNode


def visit_display(self: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    self.body.append(f'<div class="math">{mathml(node.astext(), "block", node)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
