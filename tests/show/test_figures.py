"""Figures: colours that can be told apart, plain numbers, words of one's own, nothing over anything else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Polygon, Rectangle
from matplotlib.text import Text

from coppice.lab.effects import EffectRow
from coppice.lab.parameters import Choice, Parameter
from coppice.lab.stats import Score
from coppice.lab.tunings import KeptTuning, Tried
from coppice.papers.evidence import Evidence, Mean
from coppice.papers.experiment import (
    Experiment,
    Figure,
    MatchRow,
    PlayoutRow,
    Reading,
    experiment_names,
    find_experiment,
    percent,
    under,
)
from coppice.papers.results import judge
from coppice.show.drawing import Drawing
from coppice.show.figure_style import BETTER, COLOURS, MARKERS, OPEN, WORSE, plain_logarithmic
from coppice.show.figures import (
    KINDS,
    draw_experiment,
    draw_heat_map,
    draw_tuning,
    forest,
    heat_map,
    kind_of,
    picture,
    save,
)

# Colours

# What is left of linear red, green and blue without one kind of cones (Machado, Oliveira and Fernandes 2009).
SIGHTS = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def seen(colour: str, sight: str) -> Any:
    """A colour as CIE L*a*b*, where distances are those that are seen."""
    parts = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    left = np.clip(np.array(SIGHTS[sight]) @ linear, 0, 1)
    to_xyz = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
    x, y, z = np.array(to_xyz) @ left / np.array([0.9505, 1.0, 1.0888])
    x, y, z = (np.cbrt(t) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours: Sequence[str], sight: str) -> float:
    pairs = itertools.combinations([seen(colour, sight) for colour in colours], 2)
    return min(float(np.linalg.norm(a - b)) for a, b in pairs)


@pytest.mark.parametrize("sight", SIGHTS)
def test_colours_are_told_apart_by_readers_who_see_fewer(sight: str) -> None:
    assert nearest(COLOURS, sight) > 15
    assert nearest((BETTER, WORSE, OPEN, "#ffffff"), sight) > 25
    # The test can fail: red and green, as figures had them, are nearly the same without one kind of cones.
    assert nearest(("#c2410c", "#b45309"), "deuteranopia") < 2
    assert len(set(MARKERS)) == len(COLOURS)


# What a figure shows


def texts_of(drawing: Drawing) -> list[str]:
    return [text.get_text() for text in drawing.findobj(Text) if text.get_text() and text.get_visible()]


def boxes(drawing: Drawing) -> list[tuple[Text, Any]]:
    """The texts of a figure with where they stand, those inside cells and titles alike."""
    drawing.draw_without_rendering()
    texts: list[Text] = [*drawing.texts, *(text for legend in drawing.legends for text in legend.get_texts())]
    for axes in drawing.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [
                label
                for tick, at in zip(axis.get_major_ticks(), axis.get_majorticklocs(), strict=True)
                for label in (tick.label1, tick.label2)
                if low <= at <= high and label.get_visible()
            ]
    return [(text, text.get_window_extent()) for text in texts if text.get_text().strip()]


def check_nothing_overlaps(drawing: Drawing) -> None:
    found = boxes(drawing)
    assert len(found) > 3
    width, height = drawing.bbox.width, drawing.bbox.height
    for text, box in found:
        assert -1 <= box.x0 < box.x1 <= width + 1, text
        assert -1 <= box.y0 < box.y1 <= height + 1, text
    for (one, a), (other, b) in itertools.combinations(found, 2):
        # Turned texts lie side by side although the boxes around them do not.
        turned = 0 < one.get_rotation() < 90 and one.get_rotation() == other.get_rotation()
        apart = turned or a.x1 <= b.x0 + 1 or b.x1 <= a.x0 + 1 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
        assert apart, (one, other)


def rated(rows: Iterable[MatchRow], wins: int = 60, games: int = 100) -> dict[str, Evidence]:
    return {row.name: Evidence(games, score=Score(wins, 0, games - wins)) for row in rows}


def row(name: str, published: float | None = None, **labels: str) -> MatchRow:
    given: dict[str, Any] = {} if published is None else {"published": percent(published, 100)}
    return MatchRow(name=name, labels=labels, game="toy", a="strong", b="weak", count=100, **given)


def drawn(figure: Figure, rows: Sequence[MatchRow], readings: Sequence[Reading] = ()) -> Drawing:
    one = Experiment(question="?", source="", rows=tuple(rows), readings=tuple(readings))
    drawing = draw_experiment(figure, judge(one, rated(rows)))
    assert drawing is not None
    return drawing


def legend_of(drawing: Drawing) -> list[str]:
    return [text.get_text() for legend in drawing.legends for text in legend.get_texts()]


def test_a_curve_alone_has_a_band_and_curves_together_have_bars_side_by_side() -> None:
    rows = [row(f"{g} {x}", x=str(x), g=g) for g in ("one", "two", "three") for x in (1, 2, 3)]
    alone = drawn(Figure(x="x"), rows[:3])
    [band] = alone.axes[0].collections
    assert isinstance(band, PolyCollection)
    together = drawn(Figure(x="x", group="g"), rows)
    [axis] = together.axes
    bars = [one for one in axis.collections if isinstance(one, LineCollection)]
    assert len(bars) == len(axis.collections) == 3
    together.draw_without_rendering()
    places = [bar.get_transform().transform(bar.get_segments()[0])[0, 0] for bar in bars]
    assert np.diff(places) == pytest.approx([5 * together.dpi / 72] * 2)
    assert legend_of(together) == ["one", "two", "three", "measured, 95 % interval"]


def test_ply_curves_together_have_bars_at_different_plies() -> None:
    rows = tuple(PlayoutRow(name=name, game="toy", player="weak", count=5) for name in "ab")
    curve = tuple((ply, Mean(9, 10.0 + ply, 4.0)) for ply in range(40))
    one = Experiment(question="?", source="", rows=rows)
    found = {each.name: Evidence(9, mean=Mean(9, 7.0, 1.0), curve=curve) for each in rows}
    drawing = draw_experiment(Figure(x="ply", by_ply=True), judge(one, found))
    assert drawing is not None
    first, second = (
        {segment[0][0] for segment in bars.get_segments()}
        for bars in drawing.axes[0].collections
        if isinstance(bars, LineCollection)
    )
    assert len(first) >= 8
    assert not first & second
    assert drawing.axes[0].get_ylabel() == "moves of a playout"
    assert legend_of(drawing) == ["a", "b", "95 % interval"]


def test_what_is_no_number_is_a_category_on_an_axis() -> None:
    rows = [row(f"{g} {x}", 55, player=x, g=g) for g in ("5", "6") for x in ("RAVE", "MAST", "a longer name")]
    drawing = drawn(Figure(x="player", group="g", labels={"g": "size", "MAST": "mean action values"}), rows)
    [axis] = drawing.axes
    assert [label.get_text() for label in axis.get_yticklabels()] == [
        *("RAVE", "mean action values", "a longer name")
    ]
    assert legend_of(drawing) == ["size = 5", "size = 6", "measured, 95 % interval", "published"]
    # Both groups of a category have lines of their own.
    lines = [line for line in axis.get_lines() if line.get_marker() in MARKERS[:2]]
    ys = [y for line in lines for y in np.asarray(line.get_ydata(), dtype=float)]
    assert len({round(y, 6) for y in ys}) == 6
    check_nothing_overlaps(drawing)


def test_a_published_number_is_drawn_once_beside_all_its_readings() -> None:
    reading = Reading("equal time", "Measured.")
    rows = [row("1", 60, x="1"), row("2", 70, x="2")]
    drawing = drawn(Figure(x="x"), [*rows, *(under(reading, one) for one in rows)], [reading])
    hollow = [line for line in drawing.axes[0].get_lines() if line.get_markerfacecolor() == "white"]
    assert sum(np.size(line.get_xdata()) for line in hollow) == 2
    assert legend_of(drawing)[:2] == ["literal", "equal time"]


def test_many_readings_get_a_panel_each_with_the_literal_one_behind() -> None:
    readings = [Reading(f"reading {at}", "Other.") for at in range(7)]
    rows = [row("1", x="1"), row("2", x="2")]
    drawing = drawn(Figure(x="x"), [*rows, *(under(one, rows[0]) for one in readings)], readings)
    assert [axis.get_title() for axis in drawing.axes] == ["literal", *(one.name for one in readings)]
    behind = [sum(line.get_marker() == "None" for line in axis.get_lines()) for axis in drawing.axes]
    # One of them is the line at 50 %.
    assert behind == [1, *[2] * 7]
    assert legend_of(drawing) == ["measured, 95 % interval", "literal"]
    check_nothing_overlaps(drawing)


def test_a_label_may_divide_a_figure_into_panels() -> None:
    rows = [row(f"{p} {g} {x}", x=str(x), g=g, p=p) for p in "PQ" for g in "ab" for x in (1, 2)]
    drawing = drawn(Figure(x="x", group="g", panels="p", labels={"P": "first"}), rows)
    assert [axis.get_title() for axis in drawing.axes] == ["first", "Q"]
    assert legend_of(drawing) == ["a", "b", "measured, 95 % interval"]


def test_ones_own_paper_is_not_told_what_is_ours() -> None:
    words = {"win rate (%)": "score (%)", "measured, 95 % interval": "Coppice", "x": "constant $C$"}
    drawing = drawn(Figure(x="x", title="Mine", labels=words), [row("1", x="1"), row("2", x="2")])
    [axis] = drawing.axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("constant $C$", "score (%)")
    assert legend_of(drawing) == ["Coppice"]
    plain_words = drawn(Figure(x="x"), [row("1", 50, x="1"), row("2", x="2")])
    assert legend_of(plain_words) == ["measured, 95 % interval", "published"]
    for one in (drawing, plain_words):
        assert not [text for text in texts_of(one) if re.search(r"\bours?\b|\bpaper\b", text)]


def test_words_for_what_a_figure_does_not_write_are_refused() -> None:
    message = "this figure does not write 'C': labels are for x, win rate (%), measured"
    with pytest.raises(ValueError, match=re.escape(message)):
        drawn(Figure(x="x", labels={"C": "c"}), [row("1", x="1")])
    with pytest.raises(ValueError, match="does not write 'rave': labels are for score of the change"):
        forest(effects(), labels={"rave": "RAVE"})
    with pytest.raises(ValueError, match="does not write 'z'"):
        draw_heat_map("", ("x", ["1"]), ("y", ["2"]), {}, labels={"z": ""})


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([100, 1000, 10000], ["100", "1,000", "10,000"]),
        ([50, 100, 200, 400, 800], ["50", "100", "200", "400", "800"]),
        ([0.05, 2], ["0.05", "0.1", "0.2", "0.5", "1", "2"]),
        ([7], ["7"]),
        ([10, 11], ["10", "11"]),
        ([1e-3, 1e6], ["0.001", "0.1", "10", "1,000", "100,000"]),
    ],
)
def test_logarithmic_axes_have_plain_numbers(values: list[float], ticks: list[str]) -> None:
    drawing = Drawing(figsize=(6, 3), layout="constrained")
    axis = drawing.add_subplot()
    axis.set_xlim(min(values) / 1.1, max(values) * 1.1)
    plain_logarithmic(axis, "x", values)
    axis.set_xlim(min(values) / 1.1, max(values) * 1.1)
    drawing.draw_without_rendering()
    assert [label.get_text() for label in axis.get_xticklabels()] == ticks
    assert [label for label in axis.get_xticklabels(minor=True) if label.get_text()] == []
    assert axis.get_xscale() == "log"


def test_numbers_of_a_short_logarithmic_axis_are_thinned_until_they_fit() -> None:
    drawing = Drawing(figsize=(2, 2), layout="constrained")
    axis = drawing.add_subplot()
    plain_logarithmic(axis, "x", [50, 100, 200, 400, 800, 1600, 3200], 90.0)
    assert list(axis.get_xticks()) == [100, 400, 1600]


# Files


def test_figures_are_written_in_three_kinds_the_same_each_time(tmp_path: Path) -> None:
    drawing = forest(effects(), title="Ideas")
    begins = {"pdf": b"%PDF-", "svg": b"<?xml", "png": b"\x89PNG"}
    assert set(begins) == set(KINDS)
    for kind in KINDS:
        path = save(drawing, tmp_path / f"f.{kind}")
        content = path.read_bytes()
        assert content.startswith(begins[kind])
        assert content == picture(forest(effects(), title="Ideas"), kind)
    assert "Ideas</text>" in (tmp_path / "f.svg").read_text()
    # Whole outlines in a PDF, no bitmaps of letters.
    assert b"/TrueType" in (tmp_path / "f.pdf").read_bytes() or b"/Type0" in (tmp_path / "f.pdf").read_bytes()
    assert b"/Type3" not in (tmp_path / "f.pdf").read_bytes()
    assert kind_of("A.PDF") == "pdf"
    for name in ("f.gif", "f", "pdf"):
        with pytest.raises(
            ValueError, match=f"'{name}' is no name for a figure: allowed are the endings .pdf"
        ):
            save(drawing, name)


def test_drawing_leaves_the_settings_of_a_notebook_alone() -> None:
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        mine = dict(matplotlib.rcParams)
        drawing = forest(effects())
        svg = drawing._repr_svg_()
        assert dict(matplotlib.rcParams) == mine
    assert dict(matplotlib.rcParams) == before
    assert svg == picture(forest(effects()), "svg").decode()


# Forest plots


def effect(change: str, game: str, estimate: float, verdict: str, **more: Any) -> EffectRow:
    given = {"budget": "1,000 simulations", "games": 400, "low": estimate - 0.04, "high": estimate + 0.04}
    return EffectRow(change, game, **{**given, "p": 0.01, **more}, estimate=estimate, verdict=verdict)


def effects() -> list[EffectRow]:
    return [
        effect("RAVE", "Hex 9", 0.61, "better"),
        effect("RAVE", "NoGo 9", 0.52, "open", games=100),
        effect("RAVE", "all games", 0.58, "better", games=500, pooled=True),
        effect("MAST", "Hex 9", 0.44, "worse"),
        effect("MAST", "NoGo 9", 0.53, "open"),
        effect("MAST", "all games", 0.49, "open", games=800, pooled=True),
    ]


def test_a_forest_plot_has_a_line_for_each_row_and_a_diamond_for_pooled_games() -> None:
    drawing = forest(effects(), title="Two ideas")
    [axis] = drawing.axes
    written = [(text.get_text(), text.xy[1]) for text in axis.texts]  # type: ignore[attr-defined]
    names = [text for text, _ in sorted(written, key=lambda one: one[1]) if not re.match(r"[\d.]", text)]
    assert names == [
        *("games", "score [95 % interval]"),
        *("RAVE", "Hex 9", "NoGo 9", "all games", "MAST", "Hex 9", "NoGo 9", "all games"),
    ]
    assert "61.0 [57.0, 65.0]" in texts_of(drawing)
    assert axis.get_title() == "1,000 simulations"
    diamonds = [patch for patch in axis.patches if isinstance(patch, Polygon)]
    assert [sorted({round(x, 6) for x, _ in one.get_xy()}) for one in diamonds] == [
        *([54, 58, 62], [45, 49, 53])
    ]
    squares: list[Any] = [one for one in axis.collections if not isinstance(one, LineCollection)]
    fills = [matplotlib.colors.to_hex(one.get_facecolor()[0]) for one in squares]
    assert fills == [BETTER.lower(), "#ffffff", WORSE.lower(), "#ffffff"]
    # The more games, the larger.
    sizes = [float(one.get_sizes()[0]) for one in squares]
    assert sizes[1] < sizes[0] == sizes[2] == sizes[3]
    assert legend_of(drawing) == ["better", "worse", "open"]
    check_nothing_overlaps(drawing)


def test_a_forest_plot_names_what_varies_and_no_more() -> None:
    def names(*rows: EffectRow) -> list[str]:
        texts = [text.get_text() for text in forest(rows).axes[0].texts]
        return [text for text in texts if not re.match(r"[\d,.]+( \[|$)|games|score", text)]

    one = effect("RAVE", "Hex 9", 0.6, "better")
    assert names(one) == ["RAVE", "Hex 9"]
    assert names(one, replace(one, change="MAST")) == ["RAVE", "MAST"]
    assert names(one, replace(one, budget="1 s")) == ["RAVE", "1,000 simulations", "1 s"]
    assert names(one, replace(one, budget="1 s"), replace(one, game="NoGo 9")) == [
        *("RAVE", "Hex 9, 1,000 simulations", "Hex 9, 1 s", "NoGo 9, 1,000 simulations")
    ]
    assert forest([one, replace(one, change="MAST")]).axes[0].get_title() == "Hex 9, 1,000 simulations"


def test_a_narrow_forest_plot_leaves_numbers_out_before_its_axis_is_too_short() -> None:
    told = {width: texts_of(forest(effects(), width=width)) for width in (6.4, 3.9, 3.0)}
    assert [("games" in texts, "score [95 % interval]" in texts) for texts in told.values()] == [
        *((True, True), (False, True), (False, False))
    ]
    for width in told:
        drawing = forest(effects(), width=width)
        check_nothing_overlaps(drawing)
        assert drawing.axes[0].get_window_extent().width / drawing.dpi > 1.4


def test_own_words_stand_in_forest_plots() -> None:
    words = {"RAVE": "rapid values", "better": "gain", "score of the change (%)": "points (%)", "games": "n"}
    drawing = forest(effects(), labels=words)
    assert {"rapid values", "gain", "points (%)", "n"} <= set(texts_of(drawing))
    assert not {"RAVE", "better", "games"} & set(texts_of(drawing))


@pytest.mark.parametrize("draw", [forest, heat_map])
def test_rows_that_make_no_figure_are_refused(draw: Any) -> None:
    what = {forest: "forest plot", heat_map: "heat map"}[draw]
    one = effects()[0]
    with pytest.raises(ValueError, match=f"a {what} needs at least one row"):
        draw([])
    with pytest.raises(ValueError, match=f"two rows are 'RAVE, Hex 9, 1,000 simulations': a {what} has one"):
        draw([one, one])
    for wrong in (replace(one, high=1.1), replace(one, low=0.7), replace(one, estimate=float("nan"))):
        with pytest.raises(ValueError, match=r"row 'RAVE, Hex 9, .*' has the score .* both ends lie in 0..1"):
            draw([wrong])


# Heat maps


def cells_of(drawing: Drawing, place: int = 0) -> dict[str, Any]:
    """The cells of a heat map by their texts."""
    axis = drawing.axes[place]
    patches = [patch for patch in axis.patches if isinstance(patch, Rectangle)]
    return {text.get_text(): patch for text, patch in zip(axis.texts, patches, strict=True)}


def test_a_heat_map_has_each_interval_and_hatches_what_is_open() -> None:
    drawing = heat_map(effects(), title="Two ideas", labels={"open": "undecided"})
    axis = drawing.axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["Hex 9", "NoGo 9", "all games"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["RAVE", "MAST"]
    cells = cells_of(drawing)
    assert list(cells) == [
        *("61.0\n[57, 65]", "44.0\n[40, 48]", "52.0\n[48, 56]"),
        *("53.0\n[49, 57]", "58.0\n[54, 62]", "49.0\n[45, 53]"),
    ]
    assert [patch.get_hatch() is not None for patch in cells.values()] == [
        *(False, False, True, True, False, True)
    ]
    gain, loss = (cells[text].get_facecolor() for text in ("61.0\n[57, 65]", "44.0\n[40, 48]"))
    assert gain[2] > gain[0]
    assert loss[0] > loss[2]
    # Pale is nearer to white than the same rate decided.
    decided = heat_map([replace(effects()[1], verdict="better")])
    assert sum(cells["52.0\n[48, 56]"].get_facecolor()[:3]) > sum(
        cells_of(decided)["52.0\n[48, 56]"].get_facecolor()[:3]
    )
    assert legend_of(drawing) == ["undecided"]
    check_nothing_overlaps(drawing)


def test_a_heat_map_of_games_and_budgets_has_panels_that_fit_a_page() -> None:
    rows = [
        replace(one, budget=budget)
        for budget in ("100 simulations", "1,000 simulations")
        for one in effects()
        if not one.pooled
    ]
    by_budget = heat_map(rows)
    assert [axis.get_title() for axis in by_budget.axes[:2]] == ["100 simulations", "1,000 simulations"]
    by_game = heat_map(rows, across="budget")
    assert [axis.get_title() for axis in by_game.axes[:2]] == ["Hex 9", "NoGo 9"]
    assert [label.get_text() for label in by_game.axes[0].get_xticklabels()] == [
        *("100\nsimulations", "1,000\nsimulations")
    ]
    many = [
        effect(change, f"a long name {game}", 0.5, "open", budget=budget)
        for change in ("RAVE", "MAST")
        for budget in ("100", "1,000", "10,000")
        for game in range(12)
    ]
    page = heat_map(many)
    assert page.get_figwidth() < 9
    check_nothing_overlaps(page)
    for drawing in (by_budget, by_game):
        check_nothing_overlaps(drawing)
    one_game = heat_map([one for one in rows if one.game == "Hex 9"])
    assert [label.get_text() for label in one_game.axes[0].get_xticklabels()] == [
        *("100\nsimulations", "1,000\nsimulations")
    ]
    with pytest.raises(ValueError, match="across is 'change': allowed are game, budget"):
        heat_map(rows, across="change")  # type: ignore[arg-type]


def test_a_heat_map_of_a_sweep_hatches_intervals_with_50_percent() -> None:
    values = {("1", "a"): (0.5, 0.4, 0.6), ("2", "a"): (0.9, 0.8, 0.95), ("1", "b"): (0.2, 0.1, 0.3)}
    drawing = draw_heat_map("title", ("x", ["1", "2"]), ("y", ["a", "b"]), values, labels={"x": "constant"})
    cells = cells_of(drawing)
    assert {text: patch.get_hatch() is not None for text, patch in cells.items()} == {
        "50.0\n[40, 60]": True,
        "90.0\n[80, 95]": False,
        "20.0\n[10, 30]": False,
    }
    assert drawing.axes[0].get_xlabel() == "constant"
    # As on a map, larger values of the second option lie higher.
    assert [label.get_text() for label in drawing.axes[0].get_yticklabels()] == ["b", "a"]
    check_nothing_overlaps(drawing)


# All figures of the package


@pytest.mark.parametrize(
    "name", [name for name in experiment_names() if find_experiment(name).figures], ids=lambda name: name
)
def test_every_figure_of_an_experiment_can_be_drawn_and_nothing_overlaps(name: str) -> None:
    one = find_experiment(name)
    found = {}
    for at, each in enumerate(one.rows):
        if each.is_rate and isinstance(each, MatchRow):
            wins = round(200 * (each.published.value or 0.3 + 0.05 * (at % 7)))
            found[each.name] = Evidence(200, score=Score(wins, 0, 200 - wins))
        elif isinstance(each, PlayoutRow):
            curve = tuple((ply, Mean(40, 90.0 - ply, 2.0)) for ply in range(60))
            found[each.name] = Evidence(40, mean=Mean(40, 7.0, 1.0), curve=curve)
    for figure in one.figures:
        if figure.on_board:
            continue
        drawing = draw_experiment(figure, judge(one, found))
        assert drawing is not None
        check_nothing_overlaps(drawing)
        assert not [text for text in texts_of(drawing) if "$\\mathdefault" in text]


# Tunings


def tuned(*, closed: bool = True) -> KeptTuning:
    parameters = (
        Parameter("k", 0.05, 2, logarithmic=True),
        Choice("playout", ("random", "mast(tau=0.5)", "last_good_reply")),
        Parameter("n", 1, 9, whole=True),
    )
    values = [
        {"k": f"{0.1 + 0.1 * at}", "playout": parameters[1].values[at % 3], "n": str(1 + at)}
        for at in range(8)
    ]
    trials = tuple(
        Tried("trial", at, at // 4, values[at], at, Score(2 + at, 0, 8 - at), "") for at in range(8)
    )
    verification = Tried("verification", 8, 2, values[7], 99, Score(60, 0, 40), "")
    told = ("abc", "hex", "mcts({k}, {playout}, {n})", "uct", parameters, "cem", 4, 10, 0, "none", "2026")
    return KeptTuning(*told, trials, (verification,) if closed else ())


def test_a_tuning_is_drawn_in_its_order_and_by_each_parameter() -> None:
    drawing = draw_tuning(tuned(), title="Tuned", labels={"k": "exploration", "random": "uniform"})
    assert [axis.get_xlabel() for axis in drawing.axes] == ["trial", "exploration", "playout", "n"]
    dots = [np.asarray(axis.collections[0].get_offsets()) for axis in drawing.axes]
    assert [list(one[:, 1]) for one in dots] == [[20, 30, 40, 50, 60, 70, 80, 90]] * 4
    assert list(dots[1][:, 0]) == pytest.approx([0.1 + 0.1 * at for at in range(8)])
    # Each choice has a column of its own.
    assert [round(float(x)) for x in dots[2][:, 0]] == [0, 1, 2, 0, 1, 2, 0, 1]
    drawing.draw_without_rendering()
    assert [label.get_text() for label in drawing.axes[2].get_xticklabels()] == [
        *("uniform", "mast(tau=0.5)", "last_good_reply")
    ]
    proposed = [float(np.ravel(axis.get_lines()[0].get_xdata())[0]) for axis in drawing.axes[1:]]
    assert proposed == pytest.approx([0.8, 1.4, 8])
    assert len(legend_of(drawing)) == 3
    check_nothing_overlaps(drawing)
    assert len(legend_of(draw_tuning(tuned(closed=False)))) == 2
    with pytest.raises(ValueError, match="the tuning abc has no trial yet"):
        draw_tuning(replace(tuned(), trials=()))
