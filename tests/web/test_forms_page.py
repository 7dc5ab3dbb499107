"""The forms of the app in a real browser: what can be read, what is whole, what a phone shows."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from serving import Server, running

from coppice.papers.experiment import experiment_names, find_experiment
from coppice.web.address import own_address
from coppice.web.levels import games

CONTRAST = """(element) => {
  // The WCAG contrast of an element's text with the first background behind it that is not clear.
  const parts = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((x) => x / 255)
      .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let behind = element;
  const clear = (colour) => parts(colour).length === 4 && parts(colour)[3] === 0;
  while (clear(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const [high, low] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor]
    .map(light).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_file_button_and_all_green_buttons_of_the_analysis_page_can_be_read(
    page: Page, server: Server, theme: str
) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.goto(f"{server.url}/analyse")
    page.locator(".upload a .q-icon").wait_for()
    for place in (".upload a .q-icon", ".upload .q-uploader__title", ".q-btn.bg-primary"):
        found = page.locator(place).all()
        assert found, place
        for element in found:
            assert element.evaluate(CONTRAST) >= 4.5, (theme, place)


@pytest.mark.parametrize("name", [part.name for part in games()])
def test_labels_and_values_under_more_are_whole(page: Page, server: Server, name: str) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.goto(f"{server.url}/new/{name}")
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Simulations a move").wait_for()
    fields = page.locator(".more .q-field__label, .more .q-field__native span, .more .q-toggle__label")
    for element in fields.all():
        assert element.evaluate("(e) => e.scrollWidth <= e.clientWidth || !e.clientWidth"), (
            element.inner_text()
        )
        assert "_" not in element.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_a_friend_elsewhere_opens_the_invitation_of_a_public_server(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    with running(tmp_path, "--host", "0.0.0.0") as public:
        page.goto(public.url)
        page.goto(urljoin(public.url, "/new/tic_tac_toe"))
        page.get_by_role("button", name="A friend by link").click()
        page.get_by_role("button", name="Start").click()
        link = page.locator(".share input").input_value()
        assert urlsplit(link).hostname == own_address()
        expect(page.get_by_text("It lets your friend in here.")).to_be_visible()
        # Another browser knows nothing of the server's token but what the link tells.
        friend = browser.new_context().new_page()
        friend.goto(link)
        friend.get_by_role("button", name="Join the game").click()
        friend.wait_for_selector(".board-frame .cell")
        friend.context.close()


@pytest.mark.parametrize("width", [375, 1280])
def test_the_questions_of_the_experiments_are_whole(page: Page, server: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{server.url}/laboratory")
    rows = page.locator("a.experiment")
    expect(rows).to_have_count(len(experiment_names()), timeout=60_000)
    for name, row in zip(experiment_names(), rows.all(), strict=True):
        question = row.get_by_text(find_experiment(name).question, exact=True)
        assert question.is_visible()
        assert question.evaluate(
            "(e) => e.scrollWidth <= e.clientWidth + 1 && e.offsetWidth > 150"
            " && getComputedStyle(e).textOverflow !== 'ellipsis'"
        ), name
    assert page.evaluate("document.documentElement.scrollWidth") <= width
