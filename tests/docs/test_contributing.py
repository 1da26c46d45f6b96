"""Every file and folder that CONTRIBUTING.md and the style page name exists."""

import re
from pathlib import Path

import pytest

from hpc_components.cloud import CLOUDS

ROOT = Path(__file__).parents[2]

MADE_BY_COMMANDS = ("build/", "common/")
"""Beginnings of paths that a checkout does not have: what `make system` makes, and objects in a config bucket."""


def named_paths(text: str) -> set[str]:
    """The words in code quotes with a slash or the ending of a file."""
    quoted = re.findall(r"`([^`\s]+)`", text)
    return {
        word
        for word in quoted
        if ("/" in word or re.search(r"\.(py|sh|md|toml|txt|json|csv)$", word))
        and not word.startswith(("/", "-", *MADE_BY_COMMANDS))
    }


def exists(path: str) -> bool:
    """Whether a path leads somewhere from the root or the package; one of a cloud, for any; a name, anywhere."""
    pattern = re.sub(r"<(?!cloud>)[^>]+>", "*", path).rstrip("/")
    if "/" not in pattern and any(next((ROOT / top).rglob(pattern), None) for top in ("hpc_components", "tests")):
        return True
    below = ("", "hpc_components/", *(f"hpc_components/{cloud}/" for cloud in CLOUDS))
    return any(any(ROOT.glob(folder + pattern.replace("<cloud>", cloud))) for folder in below for cloud in CLOUDS)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/style.md"])
def test_every_path_that_a_contributor_reads_exists(page: str) -> None:
    paths = named_paths((ROOT / page).read_text(encoding="utf-8"))
    assert paths
    assert sorted(path for path in paths if not exists(path)) == []


def test_a_path_that_leads_nowhere_is_found() -> None:
    assert named_paths("`spec/rule.py`, `spec/rulers.py` and `hpc rules ID`") == {"spec/rule.py", "spec/rulers.py"}
    assert exists("spec/rule.py")
    assert not exists("spec/rulers.py")
