"""`coppice explain`: one search, and a board for each statistic that the player used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coppice.board.scales import Paint
from coppice.cli.catalogue import Json
from coppice.cli.output import note, print_json
from coppice.core.session import CellTable, Game, Limit, Player, Report, State

__all__ = ["register"]

_UNKNOWN = Paint(0.0, None, ".")
_NO_CELLS = "{} has no cells: there are no boards to show"
WIDTH = 6
"""Characters between two cells of a row."""


def register(app: typer.Typer) -> None:
    """Adds the command of this file."""
    app.command()(explain)


def explain(
    game: Annotated[str, typer.Argument(help="The game, e.g. 'havannah(size=6)'.")],
    player: Annotated[str, typer.Argument(help="The player whose search is shown.")],
    moves: Annotated[str, typer.Option(help="Moves to play first, separated by spaces.")] = "",
    simulations: Annotated[int | None, typer.Option(min=1, help="In the place of the player's own.")] = None,
    seed: Annotated[int, typer.Option(help="The search's seed.")] = 0,
    svg: Annotated[Path | None, typer.Option(help="Write each board as a picture into this folder.")] = None,
    json: Json = False,
) -> None:
    """Search a position once and show every statistic of the search on the board."""
    rules = Game(game)
    chosen = Player(player).on(rules)
    chosen.check(rules)
    state = rules.start(seed=seed).play(*moves.split())
    if state.outcome is not None:
        raise ValueError("there is nothing to explain: the game is over")
    thinking = chosen.think(state, seed=seed)
    report = thinking.run(chosen.limit if simulations is None else Limit(simulations=simulations))
    tables = thinking.tables()
    if svg is not None:
        _draw(state, tables, svg)
    if json:
        print_json(_document(state, chosen, report, tables))
    else:
        _show(state, chosen, report, tables)


def _title(state: State, table: CellTable) -> str:
    if table.side is None:
        return table.name
    return f"{table.name} of {state.game.sides[0 if table.side == 'first' else 1]}"


def _show(state: State, player: Player, report: Report, tables: list[CellTable]) -> None:
    print(report.text())
    print(f"player {player.spec}")
    if not tables:
        note(_NO_CELLS.format(state.game.spec))
    for table in tables:
        print(f"\n{_title(state, table)}: {table.legend}")
        print(_text_board(state, table))


def _text_board(state: State, table: CellTable) -> str:
    """The table laid out like the board; stones are shown as the side's first letter in brackets."""
    board = state.game.board()
    stones = {cell: piece for piece in state.pieces() for cell in piece.cells}
    paints = table.paint([cell.name for cell in board.cells])
    left = min(cell.x for cell in board.cells)
    rows: dict[float, list[tuple[int, str]]] = {}
    for index, cell in enumerate(board.cells):
        text = paints.get(index, _UNKNOWN).text
        # A reply answers moves that stand on the board as well.
        if index in stones and (table.scale != "cell" or index not in paints):
            side = stones[index].side
            text = f"[{state.game.sides[0 if side == 'first' else 1][0]}]"
        rows.setdefault(cell.y, []).append((round((cell.x - left) * WIDTH), text))
    lines = []
    for y in sorted(rows):
        line = ""
        for place, text in sorted(rows[y]):
            line = line.ljust(place) + f"{text:>{WIDTH - 1}} "
        lines.append(line.rstrip())
    return "\n".join(lines)


def _draw(state: State, tables: list[CellTable], folder: Path) -> None:
    board = state.game.board()
    if not board.cells:
        raise ValueError(_NO_CELLS.format(state.game.spec))
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        name = table.name if table.side is None else f"{table.name}_{table.side}"
        path = folder / f"{name}.svg"
        path.write_text(state.svg(table=table), encoding="utf-8")
        note(f"wrote {path}")


def _document(state: State, player: Player, report: Report, tables: list[CellTable]) -> dict[str, object]:
    names = [cell.name for cell in state.game.board().cells]
    return {
        "game": state.game.spec,
        "player": player.spec,
        "moves": state.moves,
        "best": report.best,
        "line": list(report.line),
        "simulations": report.simulations,
        "tables": [
            {
                "name": table.name,
                "side": table.side,
                "scale": table.scale,
                "doc": table.doc,
                "values": {
                    names[cell]: names[int(value)] if table.scale == "cell" else value
                    for cell, value in table.known.items()
                },
            }
            for table in tables
        ],
    }
