"""The lock files: complete, pinned, with hashes, without addresses."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LOCKS = {"aws": ["aws"], "dev": ["aws", "azure", "gcp", "policy"]}
"""Extras of the project in each file."""


def lock(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def plain(name: str) -> str:
    """A package's name as registries compare it. Source: PyPA specifications, name normalization."""
    return re.sub(r"[-_.]+", "-", name).lower()


def names(lines: list[str]) -> set[str]:
    """Packages asked for by requirement lines, without versions, extras and comments."""
    asked = [re.match(r"[A-Za-z0-9._-]+", line) for line in lines if not line.startswith("#")]
    return {plain(found[0]) for found in asked if found}


def pinned(name: str) -> dict[str, str]:
    """Package -> version of a lock file."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", lock(name), re.MULTILINE)
    return {plain(package): version for package, version in found}


def asked(name: str) -> set[str]:
    """What a lock file must hold: the project's requirements and those of the files that are locked with them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"]]
    for extra in LOCKS[name]:
        lines += project["optional-dependencies"][extra]
    for file in ("build.in", "dev.in") if name == "dev" else ("build.in",):
        lines += (ROOT / "requirements" / file).read_text(encoding="utf-8").splitlines()
    return names(lines)


@pytest.mark.parametrize("name", LOCKS)
def test_all_requirements_are_locked(name: str) -> None:
    assert asked(name) - set(pinned(name)) == set()


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_hashes_and_nothing_else_is_there(name: str) -> None:
    logical = lock(name).replace("\\\n", " ").splitlines()
    for line in logical:
        if line and not line.startswith("#"):
            assert re.fullmatch(r"[A-Za-z0-9._-]+==\S+( ;[^#]*?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*", line), line[
                :80
            ]
    assert len(logical) > 10


@pytest.mark.parametrize("name", LOCKS)
def test_no_address_of_a_registry_is_in_it(name: str) -> None:
    assert re.findall(r"https?://\S+|--(?:extra-)?index-url|--find-links|--trusted-host", lock(name)) == []


def test_both_lock_files_agree_on_versions() -> None:
    aws, dev = pinned("aws"), pinned("dev")
    assert {package: version for package, version in aws.items() if dev.get(package) != version} == {}


def test_the_makefile_installs_them_with_hashes_required() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"requirements/{name}.txt" in makefile for name in LOCKS)
    assert "--require-hashes" in makefile
