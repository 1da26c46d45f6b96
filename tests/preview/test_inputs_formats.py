import base64
import ipaddress
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.preview.inputs.formats import FORMATS


def formats(cloud):
    """Those that a cloud knows, or for None those that mean the same on every cloud."""
    return cloud_named(cloud).parts.plan_reader.inputs().formats if cloud else FORMATS


@given(st.ip_addresses(v=4))
def test_every_address_is_one(address):
    assert FORMATS["ipv4"](str(address)) is None


@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_every_network_is_a_block_and_its_hosts_are_none(address, prefix):
    network = ipaddress.ip_network(f"{address}/{prefix}", strict=False)

    assert FORMATS["ipv4_cidr"](str(network)) is None
    if address != network.network_address:
        assert "host bits" in FORMATS["ipv4_cidr"](f"{address}/{prefix}")[0]


@given(st.ip_addresses(v=6), st.integers(0, 128))
def test_every_ipv6_network_is_a_block(address, prefix):
    assert FORMATS["ipv6_cidr"](str(ipaddress.ip_network(f"{address}/{prefix}", strict=False))) is None


@given(st.binary())
def test_what_is_encoded_is_base64(content):
    assert FORMATS["base64"](base64.b64encode(content).decode()) is None


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_what_json_writes_is_json(value):
    assert FORMATS["json"](json.dumps(value)) is None


@pytest.mark.parametrize("cloud", [None, *CLOUDS])
@example("²")
@given(st.text())
def test_no_text_breaks_a_format(cloud, text):
    for check in formats(cloud).values():
        fault = check(text)
        assert fault is None or all(fault)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "protocol": ["tcp", "-1", "TCP", 17, "255"],
        "ssh_public_key": ["ssh-rsa AAAAB3NzaC1yc2E= hpc", "ecdsa-sha2-nistp256 AAAAE2Vj"],
    }.items(),
)
def test_values_of_the_right_format_pass(name, texts):
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "protocol": ["tpc", 256, "-2"],
        "ssh_public_key": ["ssh-rsa", "-----BEGIN OPENSSH PRIVATE KEY-----"],
    }.items(),
)
def test_wrong_forms_are_refused_with_a_way_out(name, texts):
    assert all(fault and fault[0] and fault[1] for fault in map(FORMATS[name], texts))
