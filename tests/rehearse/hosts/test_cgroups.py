"""Cgroups that a rehearsal leaves are found in every hierarchy, whichever version of cgroups the machine has."""

import os
from pathlib import Path

import pytest

from hpc_components.rehearse.hosts import cgroups


@pytest.mark.parametrize("hierarchy", ["freezer", "unified", "."], ids=["v1", "hybrid", "v2"])
def test_abandoned_ones_go_and_those_in_use_stay(
    hierarchy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "CGROUPS", tmp_path)
    used = cgroups.name_of(os.getpid())
    abandoned = f"{used}0"  # of a process with our number that started at another time
    for name in (used, abandoned, "user.slice"):
        (tmp_path / hierarchy / name / "0" / "payload").mkdir(parents=True)
    cgroups.remove_abandoned()
    assert {path.name for path in (tmp_path / hierarchy).iterdir()} == {used, "user.slice"}
    cgroups.remove([used])
    assert {path.name for path in (tmp_path / hierarchy).iterdir()} == {"user.slice"}
