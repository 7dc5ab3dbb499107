"""What the forge does with this repository: workflows, hooks before a commit, and what it asks of people."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import COPPICE

ROOT = Path(__file__).parent.parent
FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
TEMPLATES = sorted((FORGE / "ISSUE_TEMPLATE").glob("*.yml"))
HOOKS = ROOT / ".pre-commit-config.yaml"


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict), path
    return found


def steps(workflow: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each step, with the name of its job."""
    for name, job in read(workflow)["jobs"].items():
        for step in job["steps"]:
            yield name, step


def makefile() -> str:
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", makefile(), re.MULTILINE))


def lines(script: str) -> list[list[str]]:
    """The commands of a shell script of a workflow, as words."""
    return [shlex.split(line) for line in script.splitlines()]


def called(command: list[str]) -> bool:
    """Whether a command is one of this project's; if it is, it must be there."""
    if command[0] == "make":
        assert set(command[1:]) <= targets(), command
        return True
    if re.fullmatch(r"[\w.-]+(/[\w.-]+)+", command[0]) and not command[0].startswith("installed/"):
        assert os.access(ROOT / command[0], os.X_OK), f"{command[0]} is no program of this repository"
        return True
    return False


def test_there_are_workflows_for_tests_and_wheels() -> None:
    assert [path.name for path in WORKFLOWS] == ["tests.yml", "wheels.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_read_and_no_more(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert "github.ref" in workflow["concurrency"]["group"]
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 90, name
        assert name == "publish" or "permissions" not in job, name
        assert "latest" not in job["runs-on"], name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_actions_of_a_workflow_have_a_version_and_get_no_credentials(path: Path) -> None:
    used = [step for _, step in steps(path) if "uses" in step]
    assert used
    for step in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step["uses"]), step["uses"]
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}


def test_workflows_call_only_what_is_there() -> None:
    ours = [
        (path.stem, job, line)
        for path in WORKFLOWS
        for job, step in steps(path)
        for line in lines(step.get("run", ""))
        if line and called(line)
    ]
    assert ours == [("tests", "linux", [".ci/run"]), ("tests", "macos", ["make", "test"])]


@pytest.mark.parametrize("line", ["make tset", ".ci/walk", "tools/need"])
def test_a_workflow_that_calls_what_is_not_there_would_be_noticed(line: str) -> None:
    with pytest.raises(AssertionError):
        called(shlex.split(line))


def test_wheels_are_made_for_both_systems_and_both_processors_each_on_its_own() -> None:
    jobs = read(FORGE / "workflows" / "wheels.yml")["jobs"]
    made = {(row["runner"], row["target"]) for row in jobs["wheel"]["strategy"]["matrix"]["include"]}
    assert made == {
        ("ubuntu-24.04", "x86_64-unknown-linux-gnu"),
        ("ubuntu-24.04-arm", "aarch64-unknown-linux-gnu"),
        ("macos-15-intel", "x86_64-apple-darwin"),
        ("macos-15", "aarch64-apple-darwin"),
    }
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "requires-python"
    ]
    pythons = [
        step["with"]["python-version"] for step in jobs["wheel"]["steps"] if "python" in str(step.get("uses"))
    ]
    assert [f">={python}" for python in pythons] == [oldest]


def test_only_a_tag_publishes_and_only_with_everything_built() -> None:
    workflow = read(FORGE / "workflows" / "wheels.yml")
    # YAML reads the word `on` as true.
    assert workflow[True]["push"] == {"tags": ["v*"]}
    publish = workflow["jobs"]["publish"]
    assert "startsWith(github.ref, 'refs/tags/v')" in publish["if"]
    assert "github.event_name == 'push'" in publish["if"]
    assert set(publish["needs"]) == set(workflow["jobs"]) - {"publish"}
    assert publish["permissions"] == {"contents": "read", "id-token": "write"}
    assert publish["environment"] == "pypi"
    assert "secrets." not in (FORGE / "workflows" / "wheels.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("tag", "is_it"), [("v{}", True), ("{}", False), ("v{}.1", False), ("v", False)])
def test_a_tag_that_is_not_the_version_stops_before_it_publishes(tag: str, is_it: bool) -> None:
    publish = read(FORGE / "workflows" / "wheels.yml")["jobs"]["publish"]["steps"]
    (script,) = [step["run"] for step in publish if step.get("name") == "The tag is the version"]
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]["version"]
    done = subprocess.run(
        ["sh", "-c", script], cwd=ROOT, env={**os.environ, "GITHUB_REF_NAME": tag.format(version)}
    )
    assert (done.returncode == 0) == is_it


def test_what_is_played_with_a_wheel_works_here(tmp_path: Path) -> None:
    wheel = read(FORGE / "workflows" / "wheels.yml")["jobs"]["wheel"]["steps"]
    (script,) = [step["run"] for step in wheel if step.get("name") == "Play with the wheel"]
    played = [line[1:] for line in lines(script) if line[0] == "installed/bin/coppice"]
    assert [line[0] for line in played] == ["match", "signature"]
    for line in (played[0], [*played[1], "--help"]):
        done = subprocess.run([*COPPICE, *line], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def linted() -> list[str]:
    """The commands of `make lint` and of its parts, as they are given to a shell."""
    recipes = re.findall(r"^lint[a-z-]*:.*\n((?:\t.*\n)*)", makefile(), re.MULTILINE)
    commands = "".join(recipes).replace("\\\n\t\t", "").splitlines()
    return [
        command.removeprefix("\t@")
        .replace("$(STEP)", "tools/step.sh")
        .replace("$(PYTHON)", ".venv/bin/python")
        for command in commands
    ]


def test_the_hooks_run_the_lints_of_make_by_the_same_words() -> None:
    (local,) = read(HOOKS)["repos"]
    assert local["repo"] == "local", "versions are those of .venv, not of another list"
    quick = {"cargo fmt", "ruff check", "ruff format"}
    wanted = {line for line in linted() if any(f'"{name}"' in line for name in quick)}
    assert len(wanted) == len(quick)
    before: dict[str, list[str]] = {stage: [] for stage in ("pre-commit", "pre-push")}
    for hook in local["hooks"]:
        assert hook["language"] == "system"
        assert hook["pass_filenames"] is False
        (stage,) = hook["stages"]
        before[stage].append(hook["entry"])
    assert {*before["pre-commit"]} == wanted
    assert before["pre-push"] == ["make lint"], "all of them"
    assert read(HOOKS)["default_install_hook_types"] == [*before]


def test_issues_are_asked_for_what_answers_them() -> None:
    assert [path.stem for path in TEMPLATES] == ["addition", "bug", "result"]
    known = subprocess.run([*COPPICE, "--help"], capture_output=True, text=True, check=True).stdout
    for path in TEMPLATES:
        template = read(path)
        assert {"name", "description", "body"} <= set(template), path.name
        ids = [field["id"] for field in template["body"]]
        assert len(ids) == len(set(ids)), path.name
        assert any(field.get("validations", {}).get("required") for field in template["body"]), path.name
        for command in re.findall(r"`coppice ([a-z]+)", path.read_text(encoding="utf-8")):
            assert re.search(rf"^  {command} ", known, re.MULTILINE), f"{path.name}: {command}"


def test_a_pull_request_is_asked_for_what_contributing_demands() -> None:
    text = (FORGE / "pull_request_template.md").read_text(encoding="utf-8")
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for words in ("No functional change", "Signature: <n>", "CHANGELOG.md", "python/coppice/reference"):
        assert words in text
        assert words in contributing
    assert set(re.findall(r"`make ([a-z]+)`", text)) <= targets()
    assert text.count("- [ ] ") == 4
    for name in (".pre-commit-config.yaml", "issue", "pull request"):
        assert name in contributing, name
