"""Reviewed files of the reference clusters. `HPC_WRITE_GOLDENS=1 pytest` writes them anew: read what changed."""

import os
from pathlib import Path

import pytest

from hpc_components.slurm import slurm_files
from tests.slurm.described import STACKS, stack

GOLDEN = Path(__file__).with_name("golden")
CASES = [(name, version) for name in STACKS for version in ("22.05", "24.11")]
CASES += [("aws-university", version) for version in ("23.11", "25.11")]


@pytest.mark.parametrize(("name", "version"), CASES)
def test_files_are_the_reviewed_ones(name: str, version: str) -> None:
    folder = GOLDEN / name / version
    files = slurm_files(stack(name), version=version)
    if os.environ.get("HPC_WRITE_GOLDENS"):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    assert files == {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_no_golden_is_left_over() -> None:
    assert {(path.parent.name, path.name) for path in GOLDEN.glob("*/*")} == set(CASES)
