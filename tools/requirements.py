"""Print requirements of pyproject.toml, one a line: `build`, `run`, or the name of an extra."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
groups = {
    "build": project["build-system"]["requires"],
    "run": project["project"]["dependencies"],
    **project["project"]["optional-dependencies"],
}
for name in sys.argv[1:]:
    if name not in groups:
        sys.exit(f"unknown requirements {name!r}; there are {', '.join(groups)}")
    print("\n".join(groups[name]))
