"""Lists of Azure Resource Manager that have several pages."""

import json
from collections.abc import Mapping

import pytest

from hpc_components.elastic.drivers.azure.arm import OTHER, Arm
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.drivers.pace import Pace

BASE = "https://management.azure.com"
MACHINES = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/cpu/virtualMachines"


def arm_with(pages: Mapping[str, dict]) -> Arm:
    """Answers these addresses, and a token."""

    def send(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        told = pages.get(url) or {"access_token": "t", "expires_on": "9999999999"}
        return Answer(status=200, headers={}, body=json.dumps(told).encode())

    return Arm(BASE, Tokens(Metadata(send=send), "identity"), send, Pace({}, OTHER))


@pytest.mark.parametrize(
    ("link", "asked"),
    [
        (f"{BASE}{MACHINES}?page=2", f"{BASE}{MACHINES}?page=2"),
        # As Azure writes it, by a test of Azure's SDK for Java (RestProxyTests, doesNotChangeEncodedPath).
        (f"{BASE}:443{MACHINES}?page=2", f"{BASE}:443{MACHINES}?page=2"),
        (f"{BASE}{MACHINES}?$filter='a' eq 'b'", f"{BASE}{MACHINES}?$filter='a'%20eq%20'b'"),
    ],
)
def test_the_next_page_is_read_from_where_azure_says(link, asked):
    first = {"value": [{"name": "cpu_0"}], "nextLink": link}
    arm = arm_with({f"{BASE}{MACHINES}?api-version=2024-11-01": first, asked: {"value": [{"name": "cpu_1"}]}})
    assert [each["name"] for each in arm.pages(MACHINES, bucket="machine")] == ["cpu_0", "cpu_1"]


@pytest.mark.parametrize(
    "link",
    [
        "https://management.azure.com.evil.example/x",
        "http://management.azure.com/x",
        "https://management.azure.com:8443/x",
        "https://evil.example/?https://management.azure.com/",
        "https://management.azure.com@evil.example/",
    ],
)
def test_nobody_else_is_told_the_token(link):
    assert not arm_with({}).is_own(link)
