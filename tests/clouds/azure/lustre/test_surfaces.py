"""One refusal has the same reason in a description, in the arguments of the component, and in recorded inputs."""

from typing import Any

import pytest
from seeded_faults import Seeded, faults_of

from clouds.azure.lustre.test_component import BLOBS, args, link
from clouds.azure.sample import NETWORK
from hpc_components.spec.findings import Change, Finding
from hpc_components.spec.input_rules import FaultKind
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
    "nodes": {"id": NETWORK.subnets["nodes"], "cidr": "10.20.128.0/17"},
    "lustre": {"id": NETWORK.subnets["lustre"], "cidr": "10.20.1.0/27"},
}
LINK = {"bucket": f"{BLOBS}/runs", "log_bucket": f"{BLOBS}/log"}
PATH = "storage.scratch"


def found(id: str, scratch: dict[str, Any], network: dict[str, Any] | None = None) -> Finding:
    """Return the finding of a limit in a description."""
    data = CLUSTER | {"storage": {"scratch": {"type": "lustre", "mount": "/scratch", "size": "8TiB"} | scratch}}
    data |= {"network": network} if network else {}
    (finding,) = [each for each in judge(Document("cfd.yaml", data)).findings if each.id == id]
    return finding


def error(**change: Any) -> str:
    """Return the error message of the component's arguments."""
    with pytest.raises(ValueError, match=r"^LustreFilesystemArgs\.") as raised:
        args(**change)
    return str(raised.value)


@pytest.mark.parametrize(
    ("id", "scratch", "arguments"),
    [
        ("HPC-AML-002", {"size": "20TiB"}, {"capacity_tib": 20}),
        ("HPC-AML-008", {"maintenance": "sunday"}, {"maintenance": "sunday"}),
        ("HPC-AML-011", {"link": LINK | {"bucket": "s3://a"}}, {"link": link(bucket="s3://a")}),
        ("HPC-AML-012", {"link": LINK | {"log_bucket": f"{BLOBS}/runs"}}, {"link": link(log_bucket=f"{BLOBS}/runs")}),
        ("HPC-AML-013", {"link": LINK | {"auto_import": ["new"]}}, {"link": link(auto_import=("new",))}),
    ],
)
def test_description_and_arguments_have_one_reason(id, scratch, arguments):
    assert f": {found(id, scratch).reason}; " in error(**arguments)


def test_recorded_size_has_the_reason_of_the_description():
    path = "storageCapacityTiB"
    seeded = Seeded("azure-hbv4", "AmlFilesystem cfd-scratch", {path: 20}, path, FaultKind.OUT_OF_RANGE)
    (fault,) = faults_of(seeded)
    assert (fault.path, fault.value, fault.remedy) == (path, 20, "use 24; or use 16")
    assert fault.reason == found("HPC-AML-002", {"size": "20TiB"}).reason


def test_remedies_are_in_the_notation_of_their_surface():
    size = found("HPC-AML-002", {"size": "20TiB"})
    assert (size.remedy, size.fix) == ("use 24TiB; or use 16TiB", (Change(("storage", "scratch", "size"), "24TiB"),))
    changes = found("HPC-AML-013", {"link": LINK | {"auto_import": ["deleted"], "auto_export": []}})
    assert (changes.path, changes.value) == (f"{PATH}.link.auto_import", "deleted")
    assert changes.remedy == "use [new, deleted]"


def test_network_is_widened_until_its_subnet_has_room():
    large, network = {"size": "96TiB"}, ("network", "cidr")
    small = found("HPC-AML-006", large, {"cidr": "10.20.0.0/22"})
    assert (small.path, small.fix) == ("network.cidr", (Change(network, "10.20.0.0/21"),))
    existing = found("HPC-AML-006", large, {"existing": SITE})
    assert (existing.path, existing.value) == ("network.existing.lustre.cidr", "10.20.1.0/27")
    assert existing.fix == ()


def test_signature_of_a_container_is_not_repeated():
    finding = found("HPC-AML-011", {"link": LINK | {"log_bucket": f"{BLOBS}/log?sv=2024&sig=secret"}})
    assert (finding.path, finding.value) == (f"{PATH}.link.log_bucket", None)
    assert "secret" not in f"{finding.reason} {finding.remedy}"
