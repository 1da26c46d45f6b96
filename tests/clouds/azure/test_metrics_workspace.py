from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, TAGS
from hpc_components.azure.catalog.roles import role_id
from hpc_components.azure.metrics.component import MetricsWorkspace, MetricsWorkspaceArgs
from hpc_components.azure.ports import Identity
from hpc_components.preview.record import Recording, record

EXISTING = f"{GROUP.id}/providers/Microsoft.Monitor/accounts/site"
IDENTITY = f"{GROUP.id}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/head"
GUID = "01234567-89ab-cdef-0123-456789abcdef"
HEAD = Identity(id=IDENTITY, client_id=GUID, principal_id=GUID)


def program(**args: Any) -> None:
    made = MetricsWorkspace(
        "cfd-metrics", MetricsWorkspaceArgs(**{"group": GROUP, "head": HEAD, "tags": TAGS, **args})
    )
    pulumi.export("urls", [made.write_url, made.query_url])


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(program)


def test_history_outlives_the_cluster_unless_it_may_be_thrown_away(usual: Recording) -> None:
    workspace = usual.one("AzureMonitorWorkspace")
    assert (workspace.protect, workspace.retain) == (True, True)
    thrown = record(lambda: program(retain=False)).one("AzureMonitorWorkspace")
    assert (bool(thrown.protect), bool(thrown.retain)) == (False, False)


def test_the_head_node_may_send_to_the_rule_of_the_workspace_and_nothing_else(usual: Recording) -> None:
    role = usual.one("RoleAssignment").inputs
    assert role["roleDefinitionId"].endswith(role_id("Monitoring Metrics Publisher"))
    assert role["principalId"] == GUID


def test_an_existing_identity_gets_no_role() -> None:
    head = Identity(id=IDENTITY, client_id=GUID)
    assert not record(lambda: program(head=head)).all("RoleAssignment")


def test_an_existing_workspace_is_used_as_it_is() -> None:
    made = record(lambda: program(workspace=EXISTING))
    assert not made.all("AzureMonitorWorkspace")
    assert made.one("RoleAssignment").inputs["principalId"] == GUID


def test_the_id_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^MetricsWorkspaceArgs\.workspace: .* monitor workspace id"):
        MetricsWorkspaceArgs(group=GROUP, head=HEAD, workspace=IDENTITY)
