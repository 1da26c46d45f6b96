"""An existing identity of a queue is for its jobs only; its nodes boot with a separate one."""

from typing import Any

from boot.azure_rights import GRANTS
from boot.azure_stage import azure_spec
from planned_azure import PlannedAzure

from hpc_components.azure.cluster import Cluster
from hpc_components.boot.files import boot_files
from hpc_components.preview.record import record

OWN = (
    "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site/providers"
    "/Microsoft.ManagedIdentity/userAssignedIdentities/jobs"
)
QUEUE: dict[str, Any] = {"name": "debug", "machine": "Standard_D2s_v5", "max": 4, "smt": True, "identity": OWN}
SPEC = azure_spec(queues=[QUEUE])


def test_nodes_boot_with_one_of_the_cluster_s_and_lend_it() -> None:
    recording = record(lambda: Cluster(SPEC.name, SPEC), preview=False)
    plan, (scale_set,) = (
        PlannedAzure(recording),
        (
            each
            for each in recording.all("azure-native:compute:VirtualMachineScaleSet")
            if each.inputs["tags"]["hpc:role"] == "compute"
        ),
    )
    tags, identities = plan.tags(scale_set.name), scale_set.inputs["identity"]["userAssignedIdentities"]
    assert plan.grants(tags["hpc:identity"]) == GRANTS["compute"]
    assert OWN in identities
    assert len(identities) == 2
    assert tags["hpc:data-identity"] != tags["hpc:identity"]
    principals = {each.inputs["principalId"] for each in recording.all("azure-native:authorization:RoleAssignment")}
    assert not [each for each in principals if "existing-identity" in each], "it may read no secret of the cluster's"


def test_jobs_reach_no_metadata_service() -> None:
    header, line = (each.split() for each in boot_files(SPEC)["compute/queues"].splitlines())
    assert dict(zip(header, line, strict=True))["metadata"] == "system"
