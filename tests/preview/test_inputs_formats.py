import base64
import ipaddress
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hpc_components.preview.inputs.formats import FORMATS


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


@example("²")
@given(st.text())
def test_no_text_breaks_a_format(text):
    for check in FORMATS.values():
        fault = check(text)
        assert fault is None or all(fault)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arn": ["arn:aws:s3:::bucket", "arn:aws-us-gov:iam::aws:policy/ReadOnly", "arn:aws:events:*:*:rule/x"],
        "bucket_name": ["abc", "cfd-config.2", "a1b"],
        "instance_type": ["hpc6a.48xlarge", "u-6tb1.56xlarge", "m7i.metal-24xl", "t4g.nano", "i4i.metal"],
        "protocol": ["tcp", "-1", "TCP", 17, "255"],
        "s3_uri": ["s3://bucket", "s3://bucket/prefix/"],
        "schedule": ["rate(1 minute)", "cron(0 12 * * ? *)"],
        "ssh_public_key": ["ssh-rsa AAAAB3NzaC1yc2E= hpc", "ecdsa-sha2-nistp256 AAAAE2Vj"],
        "policy": [
            '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}',
            '{"Statement": [{"Effect": "Deny", "NotAction": ["s3:*"], "NotPrincipal": "*"}]}',
        ],
    }.items(),
)
def test_right_forms_pass(name, texts):
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arn": ["bucket", "arn:aws:s3", "aws:s3:::bucket"],
        "bucket_name": ["ab", "Abc", "a..b", "192.168.0.1", "-abc", "a" * 64],
        "instance_type": ["hpc6a", "48xlarge", "c6i.huge", "c6i.xlarge "],
        "protocol": ["tpc", 256, "-2"],
        "s3_uri": ["bucket", "s3:/bucket", "s3://B"],
        "schedule": ["rate(5 minute s)", "cron(0 12 * * ?)", "5m"],
        "ssh_public_key": ["ssh-rsa", "-----BEGIN OPENSSH PRIVATE KEY-----"],
        "policy": [
            "[]",
            "{}",
            '{"Statement": []}',
            '{"Version": "2012-10-18", "Statement": [{}]}',
            '{"Statement": ["Allow"]}',
            '{"Statement": [{"Effect": "Allow", "Action": "s3:*", "NotAction": "s3:*", "Resource": "*"}]}',
        ],
    }.items(),
)
def test_wrong_forms_are_refused_with_a_way_out(name, texts):
    assert all(fault and fault[0] and fault[1] for fault in map(FORMATS[name], texts))
