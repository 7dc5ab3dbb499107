"""Grows the opening books of the package anew, each as its head says it was made.

    python tools/books.py [NAME ...]

Run it after play has changed. It takes as long as growing them did: minutes for each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from coppice.play.book import Book, grow

FOLDER = Path(__file__).parent.parent / "python" / "coppice" / "data" / "book"


def main() -> None:
    """Replaces each book when the new one is complete."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = sorted(path.name for path in FOLDER.glob("*.jsonl"))
    parser.add_argument("books", nargs="*", default=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--player", help="another player than the one that made them, e.g. strong")
    asked = parser.parse_args()
    for name in asked.books:
        if name not in names:
            parser.error(f"there is no book {name}: {', '.join(names)}")
        old = Book.read(FOLDER / name)
        new = FOLDER / f"{name}.new"
        book = grow(
            new,
            old.game.spec,
            player=asked.player or old.player.spec,
            positions=len(old.entries),
            simulations=old.simulations,
            seed=old.seed,
        )
        new.replace(FOLDER / name)
        print(f"{name}: {len(book.entries)} positions, play version {book.version}")


if __name__ == "__main__":
    main()
