"""What Google may sell, though no source is sure of it, is no fault of a plan: the description is warned about."""

import pytest

from hpc_components.gcp.plan.inputs.orders import filestore


def faults(tier: str, gib: int) -> list[str]:
    return [fault.path for fault in filestore({"tier": tier, "fileShares": {"capacityGb": gib}})]


@pytest.mark.parametrize(("tier", "gib"), [("REGIONAL", 12_000), ("REGIONAL", 100), ("ZONAL", 12_800)])
def test_a_filestore_in_the_widest_range_is_accepted(tier: str, gib: int) -> None:
    assert faults(tier, gib) == []


@pytest.mark.parametrize(("tier", "gib"), [("REGIONAL", 99), ("REGIONAL", 200_000), ("ZONAL", 12_000)])
def test_a_filestore_that_google_refuses_is_found(tier: str, gib: int) -> None:
    assert faults(tier, gib) == ["fileShares.capacityGb"]
