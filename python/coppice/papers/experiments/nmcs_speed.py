"""NMCS, claims on speed: discounting does not slow nested search down, and makes its playouts shorter."""

from coppice.papers.experiment import Experiment, PlayoutRow, Published, SpeedRow
from coppice.papers.experiments._nmcs import GAMES, source

PLAYERS = {"plain": "nested1", "discounting": "nested1_discount"}

EXPERIMENT = Experiment(
    question="What does discounting cost, and how long are playouts with it?",
    source=source("section on the playout engine"),
    rows=(
        *(
            SpeedRow(
                name=f"{title}: states per second with discounting, relative",
                labels={"game": title, "what": "states per second with discounting, relative"},
                game=game,
                player=PLAYERS["discounting"],
                reference=PLAYERS["plain"],
                per_second="states",
                count=10,
                published=Published(text="does not slow down: 1"),
            )
            for title, game in GAMES.items()
        ),
        *(
            SpeedRow(
                name=f"{title}: playouts per second with discounting, relative",
                labels={"game": title, "what": "playouts per second with discounting, relative"},
                game=game,
                player="uct_nested(playout=nested(level=1, discount=true), simulations=100)",
                reference="uct_nested(simulations=100)",
                count=10,
                published=Published(text="more: above 1"),
            )
            for title, game in GAMES.items()
        ),
        *(
            PlayoutRow(
                name=f"{title}: length of playouts, {name}",
                labels={"game": title, "what": f"length of playouts, {name}"},
                game=game,
                player=player,
                measure="game_length",
                count=200,
                published=Published(text="shorter" if name == "discounting" else ""),
            )
            for title, game in GAMES.items()
            for name, player in PLAYERS.items()
        ),
    ),
    notes=(
        "The paper: discounting does not slow nested search down in states per second, and it decreases the "
        "typical length of playouts and so increases the number of playouts per second. It gives no numbers.",
        "Playouts of level 2 are measured: the games of nested(level=1) against itself. For playouts per "
        "second UCT makes playouts of level 1.",
    ),
)
