"""Minimum sizes of existing subnets, by purpose."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from stack_recordings import recorded

from hpc_components.azure.spec.billed_services import private_endpoints
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.source import read_yaml
from hpc_components.spec.validate import judge

SITE = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site/providers"
VNET = f"{SITE}/Microsoft.Network/virtualNetworks/site"


def subnet(name: str, cidr: str) -> dict[str, str]:
    return {"id": f"{VNET}/subnets/{name}", "cidr": cidr}


def errors(subnets: dict[str, Any], **change: Any) -> list[tuple[str, str]]:
    existing = {"vnet": VNET, "cidr": "10.0.0.0/16", "private": {"eastus": subnet("nodes", "10.0.0.0/20")}, **subnets}
    network = {"existing": existing, "endpoints": ["blob", "vault"]}
    described = {
        "cloud": "azure",
        "name": "cfd",
        "region": "eastus",
        "zone": "eastus-1",
        "network": network,
        "head_node": {"machine": "Standard_D4s_v5"},
        "queues": [{"name": "cpu", "machine": "Standard_D16s_v5", "max": 4}],
        **change,
    }
    return [(each.id, each.path) for each in judge(read_yaml(yaml.safe_dump(described), "f.yaml")).errors]


NETAPP = {"home": {"type": "nfs", "mount": "/home", "service": "netapp", "size": "1TiB"}}
ADDRESS = {"machine": "Standard_D4s_v5", "address": "10.0.20.4"}
LOGIN = {"machine": "Standard_D4s_v5", "min": 1, "max": 4}


@pytest.mark.parametrize(
    ("place", "prefix", "change"),
    [
        ("netapp", 28, {"storage": NETAPP}),
        ("login", 28, {"login_nodes": LOGIN}),
        ("endpoints", 29, {}),
        ("head", 28, {"head_node": ADDRESS}),
        ("head", 27, {}),
    ],
)
def test_subnet_with_room_for_what_is_in_it_is_taken(place: str, prefix: int, change: dict[str, Any]) -> None:
    assert errors({place: subnet(place, f"10.0.20.0/{prefix}")}, **change) == []


@pytest.mark.parametrize(
    ("place", "prefix", "change", "id"),
    [
        ("netapp", 29, {"storage": NETAPP}, "HPC-NAF-005"),
        ("login", 29, {"login_nodes": LOGIN}, "HPC-NET-052"),
        ("endpoints", 29, {"buckets": {"one": {"type": "blob"}, "two": {"type": "blob"}}}, "HPC-NET-053"),
        ("endpoints", 30, {}, "HPC-NET-012"),
        ("head", 28, {}, "HPC-NET-012"),
    ],
)
def test_smaller_subnet_is_refused(place: str, prefix: int, change: dict[str, Any], id: str) -> None:
    assert (id, f"network.existing.{place}.cidr") in errors({place: subnet(place, f"10.0.20.0/{prefix}")}, **change)


def test_private_endpoints_are_counted_as_they_are_made() -> None:
    stack = Path(__file__).parents[4] / "stacks/config/Pulumi.azure-university.yaml"
    described = AzureClusterSpec.model_validate(yaml.safe_load(stack.read_text("utf-8"))["config"]["hpc:cluster"])
    assert private_endpoints(described) == len(recorded("azure-university").all("PrivateEndpoint")) == 3
