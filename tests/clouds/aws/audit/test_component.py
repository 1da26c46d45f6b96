import json
from typing import Any

import pytest
from both_modes import checked_preview

from clouds.aws.sample import OWN, TAGS, THEIRS
from hpc_components.aws.audit.component import AuditTrail, AuditTrailArgs
from hpc_components.preview.record import Recording, record


def program(**args: Any) -> AuditTrail:
    return AuditTrail("cfd-audit", AuditTrailArgs(**{"cluster": "cfd", "nodes": {"head": OWN}, "tags": TAGS, **args}))


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(program)


def test_the_trail_is_kept_as_long_as_said(usual: Recording) -> None:
    assert usual.one("LogGroup").inputs["retentionInDays"] == 400
    assert usual.one("LogGroup").inputs["name"] == "/hpc/cfd/audit"
    assert record(lambda: program(keep_days=3653)).one("LogGroup").inputs["retentionInDays"] == 3653


def test_the_trail_is_protected_unless_it_may_be_thrown_away(usual: Recording) -> None:
    group = usual.one("LogGroup")
    assert (group.protect, group.retain) == (True, True)
    thrown = record(lambda: program(retain=False)).one("LogGroup")
    assert (bool(thrown.protect), bool(thrown.retain)) == (False, False)


def test_nodes_may_add_records_and_nothing_else() -> None:
    made = record(program, preview=False)
    (statement,) = json.loads(made.one("RolePolicy").inputs["policy"])["Statement"]
    assert set(statement["Action"]) == {"logs:CreateLogStream", "logs:PutLogEvents"}
    assert "/hpc/cfd/audit" in json.dumps(statement["Resource"])


def test_a_role_of_an_existing_instance_profile_gets_no_permission() -> None:
    made = record(lambda: program(nodes={"head": OWN, "gpu": THEIRS.own}))
    assert [each.name for each in made.all("aws:iam/rolePolicy:RolePolicy")] == ["cfd-audit-head-policy"]


def test_days_that_cloudwatch_does_not_offer_are_refused() -> None:
    with pytest.raises(ValueError, match=r"AuditTrailArgs.keep_days: .* for 401 days; use 400 or 545"):
        AuditTrailArgs(cluster="cfd", keep_days=401)
