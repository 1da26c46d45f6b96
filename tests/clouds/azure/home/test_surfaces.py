"""One refusal has the same reason in a description, in the arguments of the component, and in recorded inputs."""

from typing import Any

import pytest
from seeded_faults import Seeded, faults_of

from clouds.azure.sample import GROUP, NETWORK, TAGS
from hpc_components.azure.home.component import HomeFilesystemArgs
from hpc_components.azure.home.offer import LIMITS
from hpc_components.azure.ports import Network
from hpc_components.spec.findings import Change, Finding
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.rule import find_rule
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge

CLUSTER: dict[str, Any] = {
    "cloud": "azure",
    "name": "cfd",
    "region": "eastus",
    "zone": "eastus-1",
    "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "Standard_D4s_v5"},
    "queues": [{"name": "compute", "machine": "Standard_D16s_v5", "max": 4}],
}
SITE: dict[str, Any] = {
    "vnet": NETWORK.id,
    "cidr": "10.20.0.0/16",
    "head": {"id": NETWORK.subnets["head"], "cidr": "10.20.0.0/24"},
    "nodes": {"id": NETWORK.subnets["nodes"], "cidr": "10.20.128.0/17"},
}
NETAPP = {"service": "netapp", "size": "1TiB"}
SHARE, VOLUME = "FileShare cfd-home-share", "CapacityPoolVolume university-home-volume"
SHARES, SNAPSHOTS = "FileServiceProperties cfd-home-service", "SnapshotPolicy university-home-snapshots"


def found(id: str, home: dict[str, Any], network: dict[str, Any] | None = None) -> Finding:
    """Return the finding of a limit in a description."""
    data = CLUSTER | {"storage": {"home": {"type": "nfs", "mount": "/home"} | home}}
    data |= {"network": {"existing": network}} if network else {}
    (finding,) = [each for each in judge(Document("cfd.yaml", data)).findings if each.id == id]
    return finding


def error(**change: Any) -> str:
    """Return the error message of the component's arguments."""
    usual = {"mount": "/home", "capacity_gib": 1024, "group": GROUP, "network": NETWORK, "tags": TAGS}
    with pytest.raises(ValueError, match=r"^HomeFilesystemArgs\.") as raised:
        HomeFilesystemArgs(**usual | change)
    return str(raised.value)


@pytest.mark.parametrize(
    ("id", "home", "arguments", "stack", "resource", "inputs"),
    [
        ("HPC-NAF-002", {"size": "50GiB"}, {"capacity_gib": 50}, "azure-hbv4", SHARE, {"shareQuota": 50}),
        (
            "HPC-NAF-002", NETAPP | {"size": "20GiB"}, {"kind": "netapp", "capacity_gib": 20},
            "azure-university", VOLUME, {"usageThreshold": 20 * 2**30},
        ),
        (
            "HPC-NAF-004", {"size": "1TiB", "deleted_share_retention": "400d"}, {"deleted_share_days": 400},
            "azure-hbv4", SHARES, {"shareDeleteRetentionPolicy.days": 400},
        ),
        (
            "HPC-NAF-004", NETAPP | {"snapshots": "300d"}, {"kind": "netapp", "snapshot_days": 300},
            "azure-university", SNAPSHOTS, {"dailySchedule.snapshotsToKeep": 300},
        ),
    ],
)  # fmt: skip
def test_refusal_has_one_reason_on_three_surfaces(id, home, arguments, stack, resource, inputs):
    finding, message = found(id, home), error(**arguments)
    ((path, value),) = inputs.items()
    (fault,) = faults_of(Seeded(stack, resource, inputs, path, FaultKind.OUT_OF_RANGE, beside=True))
    assert f": {finding.reason}; use " in message
    assert fault.reason == finding.reason
    assert (fault.kind, fault.path, fault.value) == (FaultKind.OUT_OF_RANGE, path, value)


@pytest.mark.parametrize(
    ("id", "home", "network", "arguments"),
    [
        ("HPC-NAF-003", {"size": "1TiB", "level": "ultra"}, None, {"level": "ultra"}),
        ("HPC-NAF-009", {"size": "1TiB", "snapshots": "7d"}, None, {"snapshot_days": 7}),
        (
            "HPC-NAF-009", NETAPP | {"deleted_share_retention": "7d"}, None,
            {"kind": "netapp", "deleted_share_days": 7},
        ),
        (
            "HPC-NAF-005", NETAPP, SITE,
            {"kind": "netapp", "network": Network(id="vnet", cidr="10.0.0.0/16", subnets={"nodes": "s"})},
        ),
    ],
)  # fmt: skip
def test_description_and_arguments_have_one_reason(id, home, network, arguments):
    assert f": {found(id, home, network).reason}; " in error(**arguments)


def test_remedies_are_in_the_notation_of_their_surface():
    path = ("storage", "home", "size")
    large, small = found("HPC-NAF-002", {"size": "101TiB"}), found("HPC-NAF-002", {"size": "50GiB"})
    assert (large.remedy, large.fix) == ("use 100TiB", (Change(path, "100TiB"),))
    assert (small.value, small.remedy, small.fix) == ("50GiB", "use 100GiB", (Change(path, "100GiB"),))
    assert error(capacity_gib=50).endswith("; use 100")
    volume = Seeded("azure-university", VOLUME, {"usageThreshold": 2**30}, "usageThreshold", FaultKind.OUT_OF_RANGE)
    assert [each.remedy for each in faults_of(volume)] == [f"use {50 * 2**30}"]


def test_advice_names_fields_as_their_surface_does():
    assert "add network.existing.netapp, a subnet of at least /28" in found("HPC-NAF-005", NETAPP, SITE).remedy
    assert "storage.home.deleted_share_retention protects" in found("HPC-NAF-009", {"snapshots": "7d"}).remedy
    assert "; deleted_share_days protects" in error(snapshot_days=7)


def test_field_that_is_not_written_is_found_at_what_excludes_it():
    assert found("HPC-NAF-005", NETAPP, SITE).path == "storage.home.service"
    assert found("HPC-NAF-001", {}).path == "storage.home"


def test_subnet_of_two_volumes_is_refused_once():
    small = SITE | {"netapp": {"id": NETWORK.subnets["netapp"], "cidr": "10.20.1.0/29"}}
    volumes = {name: {"type": "nfs", "mount": f"/{name}"} | NETAPP for name in ("home", "apps")}
    data = CLUSTER | {"storage": volumes, "network": {"existing": small}}
    ids = [each.path for each in judge(Document("cfd.yaml", data)).findings if each.id == "HPC-NAF-005"]
    assert ids == ["network.existing.netapp.cidr"]


def test_share_of_an_account_that_is_billed_otherwise_may_be_smaller():
    inputs = {"shareQuota": 50, "enabledProtocols": "SMB", "rootSquash": None}
    smb = Seeded("azure-hbv4", SHARE, inputs, "shareQuota", FaultKind.OUT_OF_RANGE, beside=True)
    alone = Seeded("azure-hbv4", SHARE, {"shareQuota": 50}, "shareQuota", FaultKind.OUT_OF_RANGE)
    assert [*faults_of(smb), *faults_of(alone)] == []


def test_every_limit_is_a_rule():
    for limit in LIMITS:
        rule = find_rule(limit.id)
        assert rule is not None
        assert (rule.title, rule.level) == (limit.title, limit.level)
        assert rule.explanation.endswith(f"{limit.source.rsplit(' ', 1)[-1]}.")
