"""Formats of texts that AWS defines."""

import pytest

from hpc_components.aws.plan.inputs.formats import FORMATS


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arn": ["arn:aws:s3:::bucket", "arn:aws-us-gov:iam::aws:policy/ReadOnly", "arn:aws:events:*:*:rule/x"],
        "bucket_name": ["abc", "cfd-config.2", "a1b"],
        "instance_type": ["hpc6a.48xlarge", "u-6tb1.56xlarge", "m7i.metal-24xl", "t4g.nano", "i4i.metal"],
        "s3_uri": ["s3://bucket", "s3://bucket/prefix/"],
        "schedule": ["rate(1 minute)", "cron(0 12 * * ? *)"],
        "policy": [
            '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}',
            '{"Statement": [{"Effect": "Deny", "NotAction": ["s3:*"], "NotPrincipal": "*"}]}',
        ],
    }.items(),
)
def test_values_of_the_right_format_pass(name, texts):
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arn": ["bucket", "arn:aws:s3", "aws:s3:::bucket"],
        "bucket_name": ["ab", "Abc", "a..b", "192.168.0.1", "-abc", "a" * 64],
        "instance_type": ["hpc6a", "48xlarge", "c6i.huge", "c6i.xlarge "],
        "s3_uri": ["bucket", "s3:/bucket", "s3://B"],
        "schedule": ["rate(5 minute s)", "cron(0 12 * * ?)", "5m"],
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
