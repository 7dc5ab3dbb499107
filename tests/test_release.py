"""What a release must agree on: its version and its date, wherever they are written."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def version() -> str:
    return str(tomllib.loads(text_of("Cargo.toml"))["package"]["version"])


def headings() -> list[str]:
    return [line for line in text_of("CHANGELOG.md").splitlines() if line.startswith("## ")]


def releases() -> list[tuple[str, datetime.date]]:
    """Versions and dates, the newest first; every heading but the first is one."""
    found = [RELEASE.match(heading) for heading in headings()[1:]]
    assert None not in found, headings()
    return [(match[1], datetime.date.fromisoformat(match[2])) for match in found if match]


def test_the_newest_release_in_the_changelog_is_the_version_of_the_package() -> None:
    assert releases()[0][0] == version()


def test_the_changelog_begins_with_what_is_not_released_and_goes_back_in_time() -> None:
    assert headings()[0] == "## Unreleased"
    # Where the page for newcomers puts its line.
    assert text_of("CHANGELOG.md").count("\n## Unreleased\n\n### Added\n") == 1
    numbers = [tuple(map(int, number.split("."))) for number, _ in releases()]
    dates = [date for _, date in releases()]
    assert numbers == sorted(set(numbers), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_the_citation_names_the_newest_release_and_its_day() -> None:
    newest, date = releases()[0]
    cited = dict(re.findall(r"^(version|date-released): (.*)$", text_of("CITATION.cff"), re.MULTILINE))
    assert cited == {"version": newest, "date-released": date.isoformat()}


def test_the_lock_file_has_the_version_of_the_package() -> None:
    packages = tomllib.loads(text_of("Cargo.lock"))["package"]
    assert [package["version"] for package in packages if package["name"] == "coppice"] == [version()]


def test_contributing_names_every_file_of_a_release_and_targets_that_there_are() -> None:
    _, _, steps = text_of("CONTRIBUTING.md").partition("\n## A release\n")
    steps = steps.partition("\n## ")[0]
    for name in ("Cargo.toml", "Cargo.lock", "CHANGELOG.md", "CITATION.cff", ".github/workflows/wheels.yml"):
        assert f"`{name}`" in steps, name
        assert (ROOT / name).is_file(), name
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)`", steps))
    assert {"test", "evidence", "wheel"} <= named <= targets
