"""The list of an image's versions, and which of them stay."""

from datetime import datetime
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from hpc_components.gcp.image_builder.versions import made_versions, to_keep


def listed(monkeypatch: pytest.MonkeyPatch, error: str) -> Any:
    def fails(**_: object) -> None:
        raise Exception(f"invoke of gcp:compute/getImages:getImages failed: {error}")

    monkeypatch.setattr(gcp.compute, "get_images", fails)
    return made_versions("fluids", "cfd-image-cpu", pulumi.InvokeOptions())


def test_project_in_which_compute_engine_is_off_has_no_versions(monkeypatch: pytest.MonkeyPatch):
    error = "Error 403: Compute Engine API has not been used in project 1 before or it is disabled., SERVICE_DISABLED"
    assert listed(monkeypatch, error) == {}


def test_other_errors_are_not_taken_for_an_empty_list(monkeypatch: pytest.MonkeyPatch):
    """An empty list would delete all earlier versions."""
    with pytest.raises(Exception, match=r"Required 'compute\.images\.list' permission"):
        listed(monkeypatch, "Error 403: Required 'compute.images.list' permission for 'projects/fluids', forbidden")


MADE = {version: datetime.fromisoformat(f"2026-11-0{day}T00:00:00-08:00") for day, version in enumerate("abc", 1)}


@pytest.mark.parametrize(
    ("current", "number", "others"),
    [
        ("new", 3, ["c", "b"]),
        ("new", 1, []),
        ("a", 2, ["c"]),  # after a way back, the version in use counts
        ("a", 9, ["c", "b"]),
    ],
)
def test_version_in_use_counts_among_those_that_stay(current: str, number: int, others: list[str]):
    assert to_keep(MADE, current, number) == others
