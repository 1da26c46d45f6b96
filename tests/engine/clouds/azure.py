"""Azure, in the real engine."""

from engine.clouds import stays
from hpc_components.azure.testing.machines import run_machine, run_scale_set_machine
from hpc_components.testing.engine import Engine, StackState, StateResource
from hpc_components.testing.provider import Thing

BLOB = "azure-native:storage:Blob"
CONTAINER = "azure-native:storage:BlobContainer"
GROUP = "azure-native:resources:ResourceGroup"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
SUBNET = "azure-native:network:Subnet"


class AzureLife:
    file = BLOB
    file_is_replaced = True  # forceNew of `source` in custom_storage_azidentity.go of pulumi-azure-native

    def run_elastic(self, engine: Engine, state: StackState, cluster: str) -> None:
        """Two in each scale set, and one of a scale set that the stack has forgotten, in every subnet."""
        (group,) = (each for each in state.of(GROUP) if each.id.endswith(f"/{cluster}-nodes"))
        sets = [each.id for each in state.of(SCALE_SET) if each.id.startswith(f"{group.id}/")]
        assert sets
        old = f"{group.id}/providers/Microsoft.Compute/virtualMachineScaleSets/{cluster}-old"
        for subnet in state.of(SUBNET):
            engine.cloud.put(Thing(id=old, type=SCALE_SET, urn=None, inputs={"subnet": {"id": subnet.id}}))
            for scale_set in (*sets, old):
                run_scale_set_machine(engine.cloud, scale_set, subnet=subnet.id)
            run_machine(engine.cloud, group.id, subnet=subnet.id)

    def run_others(self, engine: Engine, cluster: str) -> set[str]:
        subscription = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups"
        groups = (f"{subscription}/another-nodes", f"{subscription}/{cluster}-nodes-too")
        return {run_machine(engine.cloud, group, subnet="subnet-of-another-cluster") for group in groups}

    def write_logs(self, engine: Engine, state: StackState) -> dict[str, StateResource]:
        written = {f"{container.id}/blobs/log": container for container in state.of(CONTAINER)}
        for id_ in written:
            engine.cloud.put(Thing(id=id_, type=BLOB, urn=None))
        return written

    def goes_along(self, resource: StateResource, state: StackState) -> bool:
        """Below something that goes, by its id."""
        around = (each for each in state if each.id and resource.id.startswith(f"{each.id}/"))
        return any(not stays(each, state, self) for each in around)


LIFE = AzureLife()
