import json
from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.aws.sample import OWN, TAGS, THEIRS
from hpc_components.aws.metrics.component import MetricsWorkspace, MetricsWorkspaceArgs
from hpc_components.preview.record import Recording, record

EXISTING = "arn:aws:aps:eu-west-1:123456789012:workspace/ws-0123abcd-4567-89ab-cdef-0123456789ab"
ADDRESS = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-0123abcd-4567-89ab-cdef-0123456789ab/"


def program(**args: Any) -> None:
    made = MetricsWorkspace("cfd-metrics", MetricsWorkspaceArgs(**{"head": OWN, "tags": TAGS, **args}))
    pulumi.export("urls", [made.write_url, made.query_url])


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(program)


def test_history_outlives_the_cluster_unless_it_may_be_thrown_away(usual: Recording) -> None:
    workspace = usual.one("aws:amp/workspace:Workspace")
    assert (workspace.protect, workspace.retain) == (True, True)
    thrown = record(lambda: program(retain=False)).one("aws:amp/workspace:Workspace")
    assert (bool(thrown.protect), bool(thrown.retain)) == (False, False)


def test_the_head_node_may_send_to_this_workspace_and_nothing_else() -> None:
    made = record(lambda: program(workspace=EXISTING), preview=False)
    (statement,) = json.loads(made.one("RolePolicy").inputs["policy"])["Statement"]
    assert (statement["Action"], statement["Resource"]) == (["aps:RemoteWrite"], [EXISTING])
    own = record(program, preview=False).one("RolePolicy").inputs["policy"]
    assert json.loads(own)["Statement"][0]["Resource"] != ["*"]


def test_a_role_of_an_existing_instance_profile_gets_no_permission() -> None:
    assert not record(lambda: program(head=THEIRS.own)).all("RolePolicy")


def test_an_existing_workspace_is_used_as_it_is() -> None:
    made = record(lambda: program(workspace=EXISTING), preview=False)
    assert not made.all("Workspace")
    assert made.outputs["urls"] == [f"{ADDRESS}api/v1/remote_write", ADDRESS]


@pytest.mark.parametrize("wrong", ["ws-0123abcd", "arn:aws:aps:eu-west-1:123456789012:rulegroupsnamespace/ws-1/x"])
def test_other_ids_are_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"MetricsWorkspaceArgs.workspace: .* is not the ARN of a workspace; use"):
        MetricsWorkspaceArgs(workspace=wrong, head=OWN)
