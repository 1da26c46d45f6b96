from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.nodes_sample import CONTAINERS, IDENTITIES, OWN, RULE, SERVICES, THEIRS, VAULT
from clouds.azure.sample import GROUP, TAGS
from hpc_components.azure.catalog.roles import role_id
from hpc_components.azure.identity.component import (
    NodeIdentity,
    NodeIdentityArgs,
    identity_ids,
    identity_marks,
)
from hpc_components.azure.identity.data import DataIdentityArgs
from hpc_components.azure.identity.grants import (
    DEPLOY_ACTIONS,
    LAUNCH_ACTIONS,
    MACHINE_ACTIONS,
    USE_ACTIONS,
    compute_grants,
    head_grants,
    login_grants,
)
from hpc_components.azure.identity.roles import grant
from hpc_components.azure.ports import BucketAccess, BucketRef
from hpc_components.preview.record import Recording, record

BLOBS = f"{GROUP.id}/providers/Microsoft.Storage/storageAccounts/data/blobServices/default/containers"
BUILT_IN = "/providers/Microsoft.Authorization/roleDefinitions/"
ROLES = {
    role_id(name): name
    for name in (
        "Key Vault Secrets Officer",
        "Key Vault Secrets User",
        "Monitoring Metrics Publisher",
        "Storage Blob Data Contributor",
        "Storage Blob Data Reader",
    )
}


def bucket(name: str) -> BucketRef:
    return BucketRef(name=name, account="data", container=name, id=f"{BLOBS}/{name}", url=f"https://data/{name}")


def recorded(**change: Any) -> Recording:
    def program() -> None:
        made = NodeIdentity("cfd-gpu", NodeIdentityArgs(**{"group": GROUP, "tags": TAGS, **change}))
        pulumi.export("ids", identity_ids(made.identities))
        pulumi.export("marks", identity_marks(made.identities))
        pulumi.export("tenant", made.tenant_id)

    return checked_preview(program)


def assigned(recording: Recording) -> set[tuple[str, str, str]]:
    """Return name, role and scope of each assignment of a built-in role."""
    return {
        (each.name, ROLES[each.inputs["roleDefinitionId"].removeprefix(BUILT_IN)], each.inputs["scope"])
        for each in recording.all("RoleAssignment")
    }


def test_a_new_identity_may_do_nothing_yet():
    recording = recorded()
    assert {(each.type, each.name) for each in recording.resources} == {
        ("hpc:azure:NodeIdentity", "cfd-gpu"),
        ("azure-native:managedidentity:UserAssignedIdentity", "cfd-gpu-identity"),
    }
    made = recording.one("UserAssignedIdentity").inputs
    assert (made["resourceGroupName"], made["location"], made["tags"]["ClusterName"]) == ("cfd", "eastus", "cfd")
    assert set(recording.outputs["marks"]) == {"identity"}
    assert len(recording.outputs["ids"]) == 1


def test_people_and_jobs_get_a_second_one_that_may_use_buckets_and_nothing_else():
    recording = recorded(buckets=BucketAccess(read=(bucket("raw"),), write=(bucket("runs"),)))
    assert len(recording.all("UserAssignedIdentity")) == 2
    assert assigned(recording) == {
        ("cfd-gpu-data-reads-raw", "Storage Blob Data Reader", f"{BLOBS}/raw"),
        ("cfd-gpu-data-writes-runs", "Storage Blob Data Contributor", f"{BLOBS}/runs"),
    }
    lent = recording.one("UserAssignedIdentity", "cfd-gpu-data").urn
    for each in recording.all("RoleAssignment"):
        assert each.property_dependencies["principalId"] == (lent,)
    assert set(recording.outputs["marks"]) == {"identity", "data_identity"}
    assert len(recording.outputs["ids"]) == 2


def test_an_identity_for_no_bucket_is_refused():
    with pytest.raises(ValueError, match=r"^DataIdentityArgs\.buckets is empty"):
        DataIdentityArgs(group=GROUP, buckets=BucketAccess(), tags=TAGS)


@pytest.mark.parametrize(
    ("grants", "expected"),
    [
        (
            compute_grants,
            {
                ("n-reads-config", "Storage Blob Data Reader", f"{CONTAINERS}/config"),
                ("n-reads-names", "Storage Blob Data Reader", f"{CONTAINERS}/nodes"),
                ("n-reads-munge", "Key Vault Secrets User", f"{VAULT}/secrets/munge"),
                ("n-writes-logs", "Monitoring Metrics Publisher", RULE),
            },
        ),
        (
            login_grants,
            {
                ("n-reads-config", "Storage Blob Data Reader", f"{CONTAINERS}/config"),
                ("n-reads-munge", "Key Vault Secrets User", f"{VAULT}/secrets/munge"),
                ("n-sets-ssh-host", "Key Vault Secrets Officer", f"{VAULT}/secrets/ssh-host"),
                ("n-writes-logs", "Monitoring Metrics Publisher", RULE),
            },
        ),
        (
            head_grants,
            {
                ("n-reads-config", "Storage Blob Data Reader", f"{CONTAINERS}/config"),
                ("n-writes-names", "Storage Blob Data Contributor", f"{CONTAINERS}/nodes"),
                ("n-sets-munge", "Key Vault Secrets Officer", f"{VAULT}/secrets/munge"),
                ("n-sets-jwt", "Key Vault Secrets Officer", f"{VAULT}/secrets/jwt"),
                ("n-writes-logs", "Monitoring Metrics Publisher", RULE),
            },
        ),
    ],
)
def test_nodes_of_each_role_have_these_rights(grants, expected):
    recording = record(lambda: grant("n", OWN, grants(SERVICES), pulumi.ResourceOptions()))
    assert assigned(recording) == expected


def test_an_assignment_names_its_principal_and_reason():
    recording = record(lambda: grant("n", OWN, compute_grants(SERVICES), pulumi.ResourceOptions()))
    for each in recording.all("RoleAssignment"):
        assert (each.inputs["principalId"], each.inputs["principalType"]) == (OWN.principal_id, "ServicePrincipal")
        assert each.inputs["description"]
        assert each.ignore_changes == ("roleDefinitionId",), "a refresh finds the subscription in it"


def test_an_identity_of_the_users_is_given_no_roles():
    assert not record(lambda: grant("n", THEIRS.own, compute_grants(SERVICES), pulumi.ResourceOptions())).resources
    assert THEIRS.own.id == f"{IDENTITIES}/theirs"


def test_no_action_has_a_wildcard_and_none_makes_or_deletes_a_scale_set():
    for action in (*LAUNCH_ACTIONS, *MACHINE_ACTIONS, *DEPLOY_ACTIONS, *USE_ACTIONS):
        assert "*" not in action
        assert action.startswith("Microsoft.")
    assert "Microsoft.Compute/virtualMachineScaleSets/delete" not in LAUNCH_ACTIONS
    assert not [action for action in LAUNCH_ACTIONS if "Authorization" in action or "Resources" in action]
    assert [action for action in USE_ACTIONS if action.endswith(("/write", "/delete"))] == [
        "Microsoft.Compute/proximityPlacementGroups/write"  # needed to launch machines in one
    ]
