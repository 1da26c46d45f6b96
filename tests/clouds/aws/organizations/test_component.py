import json
import re
from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes
from iam_lint import policy_findings

from clouds.aws.sample import TAGS, bucket
from hpc_components.aws import Organization, OrganizationArgs
from hpc_components.aws.ports import BucketAccess
from hpc_components.preview.record import Recording

NODES = ("arn:aws:iam::123456789012:role/login", "arn:aws:iam::123456789012:role/cpu")
EXTERNAL = "arn:aws:iam::999999999999:role/results"


def recorded(**change: Any) -> Recording:
    def program() -> None:
        made = Organization("cfd-acme", OrganizationArgs(organization="acme", lent_by=NODES, tags=TAGS, **change))
        pulumi.export("role", made.role_arn)
        pulumi.export("bucket", made.bucket and made.bucket.arns[0])
        pulumi.export("external", {"trust": made.external_trust, "config": made.aws_config})

    update, _ = in_both_modes(program)
    return update


def statements(recording: Recording) -> dict[str, dict[str, Any]]:
    text = recording.one("aws:iam/rolePolicy:RolePolicy").inputs["policy"]
    known = re.sub(r"arn:aws:standin:[^\"]*cfd-acme-key[^\"]*", "arn:aws:kms:us-east-2:123456789012:key/1", text)
    known = re.sub(r"arn:aws:standin:[^\"/]*/?[^\"/]*", "arn:aws:s3:::cfd-acme", known)
    assert policy_findings(known) == []
    return {each["Sid"]: each for each in json.loads(text)["Statement"]}


def test_nodes_and_no_one_else_take_the_role() -> None:
    role = recorded(bucket=True, role_path="/hpc/").one("aws:iam/role:Role", "cfd-acme")
    (trust,) = json.loads(role.inputs["assumeRolePolicy"])["Statement"]
    assert trust == {"Effect": "Allow", "Principal": {"AWS": list(NODES)}, "Action": "sts:AssumeRole"}
    assert role.inputs["path"] == "/hpc/"


def test_bucket_and_key_are_its_own_and_stay() -> None:
    recording = recorded(bucket=True)
    key, made = recording.one("aws:kms/key:Key"), recording.one("aws:s3/bucket:Bucket", "cfd-acme")
    assert [(each.protect, each.retain) for each in (key, made)] == [(True, True)] * 2
    assert key.inputs["enableKeyRotation"] is True
    (rule,) = recording.one("BucketServerSideEncryptionConfiguration").inputs["rules"]
    may = statements(recording)
    assert rule == {
        "applyServerSideEncryptionByDefault": {
            "sseAlgorithm": "aws:kms",
            "kmsMasterKeyId": may["UseKey"]["Resource"][0],
        },
        "bucketKeyEnabled": True,
    }
    assert may["UseKey"]["Action"] == ["kms:Decrypt", "kms:GenerateDataKey"]
    assert may["WriteObjects"]["Resource"] == [f"{recording.outputs['bucket']}/*"]


def test_what_is_thrown_away_is_deleted_with_its_objects() -> None:
    recording = recorded(bucket=True, retain=False)
    key, made = recording.one("aws:kms/key:Key"), recording.one("aws:s3/bucket:Bucket")
    assert [(each.protect, each.retain) for each in (key, made)] == [(False, False)] * 2
    assert made.inputs["forceDestroy"] is True


def test_shared_buckets_stay_as_open_as_they_are() -> None:
    may = statements(recorded(shared=BucketAccess(read=(bucket("raw"),), write=(bucket("runs"),)), bucket=True))
    assert len(may["ReadObjects"]["Resource"]) == 3
    assert len(may["WriteObjects"]["Resource"]) == 2
    assert not [name for name in may["WriteObjects"]["Resource"] if "raw" in name]


def test_the_role_of_the_organization_s_account_is_taken_with_an_id() -> None:
    recording = recorded(external_role=EXTERNAL)
    assert not recording.all("aws:kms/key:Key")
    assert not recording.all("aws:s3/bucket:Bucket")
    assert statements(recording).keys() == {"UseExternalRole"}
    assert statements(recording)["UseExternalRole"]["Resource"] == [EXTERNAL]
    (trust,) = json.loads(recording.outputs["external"]["trust"])["Statement"]
    assert trust["Principal"] == {"AWS": recording.outputs["role"]}
    assert trust["Condition"] == {"StringEquals": {"sts:ExternalId": "cfd"}}


def test_a_role_that_no_node_lends_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^OrganizationArgs\.lent_by: specify at least one role"):
        OrganizationArgs(organization="acme", lent_by=(), tags=TAGS)
