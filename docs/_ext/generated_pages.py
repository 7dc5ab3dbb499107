"""Writes into `_generated` what the site takes from the package: options from the catalogue, pictures."""

from __future__ import annotations

import ast
import inspect
import itertools
from pathlib import Path
from typing import Any

import layers

import coppice
from coppice.board.svg import board_svg
from coppice.lab.frames import kinds_of
from coppice.lab.study_result import StudyRecord
from coppice.lab.tidy import TidyGame, TidyMatch, TidyPair

WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}
COLUMNS = {"game": TidyGame, "pair": TidyPair, "match": TidyMatch, "study": StudyRecord}
"""The records of which the page on data shows the columns."""
TITLES = {
    "game": "Games",
    "player": "Players",
    "root": "Root policies",
    "selection": "Selection policies",
    "candidates": "Candidates",
    "expansion": "Expansion",
    "prior": "Priors",
    "tactics": "Tactics",
    "playout": "Playout policies",
    "backup": "Backups",
    "worlds": "Worlds",
    "final": "Final move",
    "openings": "Openings",
}


def cell(text: str) -> str:
    """A text that may stand in a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def options_page(family: Any) -> str:
    """Every part of a family with its options, as the core describes them."""
    lines = [f"# {TITLES[family]}", ""]
    for part in coppice.catalogue(family):
        lines += [f"## `{part.name}`", "", f"{part.doc}.", ""]
        if part.stands_for is not None:
            lines += ["Stands for", "", "```text", part.stands_for, "```", ""]
        elif part.by_game:
            lines += ["Stands for another player in each game:", ""]
            lines += ["| game | player |", "|---|---|"]
            lines += [f"| `{game}` | `{spec}` |" for game, spec in part.by_game.items()]
            lines.append("")
        elif part.options:
            lines += ["| option | default | allowed | what it does |", "|---|---|---|---|"]
            lines += [
                f"| `{option.name}` | `{option.default}` | {cell(option.allowed)} | {cell(option.doc)} |"
                for option in part.options
            ]
            lines.append("")
            if part.positional is not None:
                lines += [f"A value without a key is `{part.positional}`.", ""]
        else:
            lines += ["No options.", ""]
    return "\n".join(lines)


def columns_table(record: type) -> str:
    """The columns of tidy data: the fields of a record with what stands below each."""
    tree = ast.parse(inspect.getsource(record))
    [body] = [node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    kinds = kinds_of(record)
    lines = ["| column | holds | what it is |", "|---|---|---|"]
    for one, two in itertools.pairwise(body):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(two, ast.Expr):
            name = one.target.id
            lines.append(f"| `{name}` | {WORDS[kinds[name]]} | {cell(ast.literal_eval(two.value))} |")
    return "\n".join([*lines, ""])


def paper_of(player: str) -> str:
    """The page on algorithms that a named player belongs to."""
    if player.startswith("jack"):
        return "mr_jack"
    of_nested = ("nested", "uct_nested", "uct_nmcs", "uct_mr", "uct_solver")
    return "nested" if player.startswith(of_nested) else "havannah"


def named_players(paper: str) -> str:
    """The section on named players of a page on algorithms; empty if it has none."""
    named = [part for part in coppice.catalogue("player") if part.is_named]
    rows = [f"| `{part.name}` | {cell(part.doc)} |" for part in named if paper_of(part.name) == paper]
    return (
        "\n".join(["## Named players", "", "| player | what it is |", "|---|---|", *rows, ""]) if rows else ""
    )


def coordinates(notation: str, size: int = 4) -> str:
    """The empty Havannah board with the names that a notation gives its cells."""
    rules = coppice.game(f"havannah(size={size})")
    start = rules.start()
    moves = zip(start.legal_moves, start.legal_moves_in(notation), strict=True)
    labels = {start.move_cells(name)[0]: label for name, label in moves}
    return board_svg(rules.board(), labels=labels)


def kept_cells() -> str:
    """The cells that PPR keeps in a search, as in the paper's figure 4."""
    state = coppice.game("havannah(size=6)").start().play("f6", "e5", "g7", "d5", "h7", "f8", "e6", "g6")
    thinking = coppice.player("ppr").think(state, seed=1)
    thinking.run(coppice.Limit(simulations=1000))
    table = next(table for table in thinking.tables() if table.name == "kept")
    amaf = next(table for table in thinking.tables() if table.name == "amaf")
    known = {index: value for index, value in enumerate(amaf.values) if value is not None}
    labels = {index: f"{value:.2f}" for index, value in known.items()}
    heat = {index: value for index, value in enumerate(table.values) if value}
    return state.svg(values={index: 0.35 * value for index, value in heat.items()}, labels=labels)


def write(folder: Path) -> None:
    """Writes all of it; files that have not changed are left alone, so that Sphinx does not read them."""
    folder.mkdir(exist_ok=True)
    pages = {f"{family}.md": options_page(family) for family in TITLES}
    pages |= {f"{paper}.inc": named_players(paper) for paper in ("havannah", "nested", "mr_jack")}
    pages |= {f"columns_{name}.inc": columns_table(record) for name, record in COLUMNS.items()}
    pages["havannah_standard.svg"] = coordinates("standard")
    pages["havannah_little_golem.svg"] = coordinates("little_golem")
    pages["ppr_kept.svg"] = kept_cells()
    pages["architecture.svg"] = layers.picture()
    for name, text in pages.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    write(Path(app.srcdir) / "_generated")
    return {"parallel_read_safe": True}
