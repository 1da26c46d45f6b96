"""Reviewed files of the reference clusters. `HPC_WRITE_GOLDENS=1 pytest` writes them anew: read what changed.

`golden/<stack>` has the files of one release, BASE; `golden/<stack>/<release>` those that differ from them.
"""

import os
from pathlib import Path

import pytest

from hpc_components.slurm import slurm_files
from tests.slurm.described import STACKS, stack

GOLDEN = Path(__file__).with_name("golden")
BASE = "24.11"
SINCE_23_11 = ("hpc-job-prolog", "hpc-job-epilog")
"""Files that older releases don't pass on to nodes."""
OTHERS = [(name, "22.05") for name in STACKS] + [("aws-university", version) for version in ("23.11", "25.11")]


@pytest.mark.parametrize("name", STACKS)
def test_files_of_the_base_release_are_the_reviewed_ones(name: str) -> None:
    files = slurm_files(stack(name), version=BASE)
    if os.environ.get("HPC_WRITE_GOLDENS"):
        _write(GOLDEN / name, files)
    assert files == _texts(GOLDEN / name)


@pytest.mark.parametrize(("name", "version"), OTHERS)
def test_files_of_another_release_are_the_base_but_for_its_own(name: str, version: str) -> None:
    files = slurm_files(stack(name), version=version)
    if os.environ.get("HPC_WRITE_GOLDENS"):
        base = slurm_files(stack(name), version=BASE)
        _write(GOLDEN / name / version, {file: text for file, text in files.items() if text != base.get(file)})
    base = {file: text for file, text in _texts(GOLDEN / name).items() if file in files or file not in SINCE_23_11}
    assert files == base | _texts(GOLDEN / name / version)


@pytest.mark.parametrize(("name", "version"), OTHERS)
def test_no_golden_of_a_release_repeats_the_base(name: str, version: str) -> None:
    base, own = _texts(GOLDEN / name), _texts(GOLDEN / name / version)
    assert not [file for file, text in own.items() if text == base.get(file)]


def test_no_golden_is_left_over() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(STACKS)
    assert {(path.parent.parent.name, path.parent.name) for path in GOLDEN.glob("*/*/*")} <= set(OTHERS)


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*") if path.is_file()}


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in _texts(folder):
        (folder / file).unlink()
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
