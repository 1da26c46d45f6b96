"""What must hold for the stacks on Azure alone."""

import json
from typing import Any

import pytest
from stack_recordings import PROJECT, needed_by, parts_of, recorded, stacks_of

from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.catalog.roles import role_id, role_names
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import RecordedResource, Recording, record
from hpc_components.spec.bucket_access import bucket_access, places
from hpc_components.spec.load import load_cluster

SET, GROUP = "azure-native:compute:VirtualMachineScaleSet", "azure-native:resources:ResourceGroup"
SITE = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site"
VNET = f"{SITE}/providers/Microsoft.Network/virtualNetworks/campus"
WHO = f"{SITE}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"


@pytest.fixture(params=stacks_of("azure"))
def stack(request: pytest.FixtureRequest) -> str:
    return request.param


def described(stack: str) -> dict[str, Any]:
    return json.loads(json.dumps(PROJECT.open(stack).config))


def changed(stack: str, *, preview: bool = True, **cluster: Any) -> Recording:
    config = described(stack)
    config["hpc:cluster"] |= cluster
    made = record(PROJECT.main, project=PROJECT.name, stack=stack, config=config, preview=preview)
    assert [str(fault) for fault in check_inputs(made)] == []
    return made


def fleets_of(recording: Recording) -> list[RecordedResource]:
    return [each for each in recording.all(SET) if not each.name.endswith("-login")]


def test_ssh_is_not_open_to_the_world(stack: str) -> None:
    groups = recorded(stack).all("NetworkSecurityGroup")
    assert groups
    for group in groups:
        for rule in group.inputs["securityRules"]:
            sources = [rule.get("sourceAddressPrefix"), *rule.get("sourceAddressPrefixes", ())]
            open_to_all = {"*", "Internet", "0.0.0.0/0"} & set(sources)
            assert not (open_to_all and rule["access"] == "Allow"), f"{group.name}: {rule['name']}"


def test_only_roles_open_vaults(stack: str) -> None:
    for vault in recorded(stack).all("azure-native:keyvault:Vault"):
        assert vault.inputs["properties"]["enableRbacAuthorization"] is True


def test_roles_are_narrow_in_scope_and_rights(stack: str) -> None:
    """No built-in role on a whole group or subscription, no wildcard in our own, and none that gives out rights."""
    recording = recorded(stack, preview=False)
    groups = {each.urn for each in recording.all(GROUP)}
    built_in = {f"/providers/Microsoft.Authorization/roleDefinitions/{role_id(name)}": name for name in role_names()}
    narrow = {name for name in role_names() if name.startswith(("Storage Blob Data", "Key Vault Secrets"))}
    narrow |= {"Monitoring Metrics Publisher", "Storage Account Contributor"}
    for each in recording.all("RoleAssignment"):
        role = built_in.get(each.inputs["roleDefinitionId"])
        assert role is None or role in narrow, f"{each.name}: {role}"
        on_group = set(each.property_dependencies.get("scope", ())) & groups
        linked = each.name.endswith(("-account", "-blobs"))  # of the storage account behind a Lustre file system
        assert role is None or linked or not on_group, f"{each.name} holds for a whole resource group"
        assert each.inputs["principalType"] == "ServicePrincipal"
    for each in recording.all("RoleDefinition"):
        (permission,) = each.inputs["permissions"]
        assert not [action for action in permission["actions"] if "*" in action or "Authorization" in action]
        assert set(each.property_dependencies["scope"]) <= groups


def test_scale_sets_begin_empty_and_pulumi_leaves_them_alone(stack: str) -> None:
    for each in fleets_of(recorded(stack)):
        assert each.inputs["sku"]["capacity"] == 0
        assert "sku.capacity" in each.ignore_changes
        assert (each.replace_on_changes, each.retain) == (("*",), True)


def test_scale_sets_are_in_the_group_that_ends_them(stack: str) -> None:
    recording = recorded(stack)
    (reaper,) = [each.urn for each in recording.all(GROUP) if each.name.endswith("-reaper")]
    (head,) = recording.all(parts_of(stack).head)
    machine = recording.one(parts_of(stack).machine, head.name)
    for each in fleets_of(recording):
        assert each.property_dependencies["resourceGroupName"] == (reaper,)
        assert each.urn in needed_by(recording, machine.urn)
    for type in ("ProximityPlacementGroup",):
        for each in recording.all(type):
            assert each.retain, "Azure does not delete it before the scale sets"


def test_a_group_stays_as_long_as_something_in_it_does(stack: str) -> None:
    recording = recorded(stack)
    for group in recording.all(GROUP):
        if group.name.endswith("-reaper"):
            continue
        inside = [each for each in recording.resources if each.retain and each.type != SET]
        assert group.retain == group.protect == bool(inside), group.name


def test_a_machine_reads_in_its_tags_what_it_must_know(stack: str) -> None:
    recording = recorded(stack)
    every = {"ClusterName", "Name", "hpc:role", "hpc:config", "hpc:identity", "hpc:logs", "hpc:vault"}
    own = {
        "compute": {"hpc:queue", "hpc:machine", "hpc:zone", "hpc:purchase"},
        "head": {"hpc:zone", "hpc:nodes-group"},
    }
    machines = [*recording.all(SET), *recording.all(parts_of(stack).machine)]
    assert {each.inputs["tags"]["hpc:role"] for each in machines} >= {"compute", "head"}
    for each in machines:
        tags = set(each.inputs["tags"])
        user = set(described(stack)["hpc:cluster"].get("tags", {}))
        assert tags - {"hpc:data-identity"} - user == every | own.get(each.inputs["tags"]["hpc:role"], set())
        lent = len(each.inputs["identity"]["userAssignedIdentities"]) == 2
        assert ("hpc:data-identity" in tags) == lent


def test_one_fabric_is_one_scale_set_in_one_zone() -> None:
    """All machines of a job share it: ND's eight cards are the machine's, not interfaces of Resource Manager's."""
    (made,) = fleets_of(recorded("azure-nd"))
    assert (made.inputs["singlePlacementGroup"], made.inputs["zones"]) == (True, ["1"])
    network = made.inputs["virtualMachineProfile"]["networkProfile"]
    assert len(network["networkInterfaceConfigurations"]) == 1


def test_a_spot_queue_is_flexible_in_all_its_zones() -> None:
    spot = [each for each in fleets_of(recorded("azure-university")) if "-cpu-" in each.name]
    assert {each.name for each in spot} == {
        f"university-cpu-{size}-{zone}" for size in ("d96as-v5", "d96s-v5") for zone in "12"
    }
    for each in spot:
        assert each.inputs["orchestrationMode"] == "Flexible"
        assert each.inputs["virtualMachineProfile"]["priority"] == "Spot"


@pytest.mark.parametrize("stack", ["azure-nd", "azure-university"])
def test_every_bucket_can_be_used_where_the_description_says(stack: str) -> None:
    recording = recorded(stack)
    cluster = load_cluster(described(stack)["hpc:cluster"])
    given = {each.name for each in recording.all("RoleAssignment") if "-data-" in each.name}
    words = {"read": "reads", "write": "writes"}
    assert given == {
        f"{cluster.name}-{place}-data-{words[access]}-{name}"
        for name, bucket in cluster.buckets.items()
        for place in places(cluster)
        if (access := bucket_access(bucket, place))
    }
    assert given


def test_jobs_and_people_use_buckets_by_an_identity_that_nodes_lend() -> None:
    """`training` can be written where people log in, and read by jobs; `checkpoints` everywhere."""
    roles = {role_id(f"Storage Blob Data {name}"): name for name in ("Reader", "Contributor")}
    may = {
        each.name.removeprefix("nd-"): roles[each.inputs["roleDefinitionId"].rpartition("/")[2]]
        for each in recorded("azure-nd").all("RoleAssignment")
        if "-data-" in each.name
    }
    assert may == {
        "gpu-data-reads-training": "Reader",
        "gpu-data-writes-checkpoints": "Contributor",
        "login-data-writes-training": "Contributor",
        "login-data-writes-checkpoints": "Contributor",
    }
    assert "hpc:data-identity" not in recorded("azure-nd").one(parts_of("azure-nd").machine).inputs["tags"]


def test_a_cluster_in_a_network_that_is_there_makes_nothing_in_it_but_groups() -> None:
    cluster = described("azure-hbv4")["hpc:cluster"]
    made = changed(
        "azure-hbv4",
        network={
            "existing": {
                "vnet": VNET,
                "cidr": "10.20.0.0/16",
                "private": {"eastus": {"id": f"{VNET}/subnets/batch", "cidr": "10.20.128.0/17"}},
                "head": {"id": f"{VNET}/subnets/head", "cidr": "10.20.0.0/24"},
            },
            "ssh_from": ["203.0.113.0/24"],
        },
        storage={"home": cluster["storage"]["home"]},
    )
    types = {each.type.rpartition(":")[2] for each in made.resources}
    assert not types & {"VirtualNetwork", "Subnet", "NatGateway"}
    assert "NetworkSecurityGroup" in types
    (address,) = made.one("NetworkInterface").inputs["ipConfigurations"]
    assert (address["privateIPAddress"], address["subnet"]["id"]) == ("10.20.0.20", f"{VNET}/subnets/head")
    assert "networkSecurityGroup" in made.one("NetworkInterface").inputs
    scopes = {each.inputs["scope"] for each in made.all("RoleAssignment") if "-uses-batch-" in each.name}
    assert scopes == {f"{VNET}/subnets/batch"}
    assert SITE in made.one("RoleDefinition", "cfd-head-use").inputs["assignableScopes"]


def test_an_existing_resource_group_and_identities_are_used() -> None:
    config = described("azure-hbv4")["hpc:cluster"]
    made = changed(
        "azure-hbv4",
        resource_group=SITE,
        head_node={**config["head_node"], "identity": f"{WHO}/head"},
        queues=[{**config["queues"][0], "identity": f"{WHO}/jobs"}, config["queues"][1]],
    )
    assert [each.name for each in made.all(GROUP)] == ["cfd-reaper"]
    assert made.one("Vault").inputs["resourceGroupName"] == "site"
    assert {each.import_id for each in made.reads} == {f"{WHO}/head", f"{WHO}/jobs"}
    assert {each.name for each in made.all("UserAssignedIdentity")} == {
        "cfd-compute-queue-identity",
        "cfd-spot-identity",
    }
    assert not [each.name for each in made.all("RoleAssignment") if each.name.startswith("cfd-head")]
    (scale_set,) = [each for each in made.all(SET) if each.name.startswith("cfd-compute-queue")]
    own = made.one("UserAssignedIdentity", "cfd-compute-queue-identity")
    assert f"{WHO}/jobs" in scale_set.inputs["identity"]["userAssignedIdentities"]
    assigned = [each for each in made.all("RoleAssignment") if each.name.startswith("cfd-compute-queue-")]
    assert assigned
    assert {each.property_dependencies["principalId"] for each in assigned} == {(own.urn,)}, "none is for jobs"
    machine = made.one(parts_of("azure-hbv4").machine)
    assert machine.inputs["identity"]["userAssignedIdentities"] == [f"{WHO}/head"]


def test_queues_can_be_near_to_one_another_or_reserved() -> None:
    reservation = f"{SITE}/providers/Microsoft.Compute/capacityReservationGroups/gpus"
    made = changed(
        "azure-dev",
        queues=[
            {"name": "near", "machine": "Standard_D8as_v5", "max": 4, "placement": "cluster"},
            {"name": "gpu", "machine": "Standard_NC4as_T4_v3", "max": 4, "purchase": {"reservation": reservation}},
        ],
    )
    group = made.one("ProximityPlacementGroup")
    near, gpu = (made.one(SET, f"dev-{name}") for name in ("near-d8as-v5-1", "gpu-nc4as-t4-v3-1"))
    assert near.property_dependencies["proximityPlacementGroup"] == (group.urn,)
    assert group.retain
    assert gpu.inputs["virtualMachineProfile"]["capacityReservation"] == {
        "capacityReservationGroup": {"id": reservation}
    }
    uses = {each.inputs["scope"] for each in made.all("RoleAssignment") if "-uses-gpus-" in each.name}
    assert uses == {reservation}


NAMED = {
    "vmName": "virtual_machine",
    "resourceGroupName": "resource_group",
    "containerName": "container",
}
"""Names that we give: input and kind of name."""

AUTONAMED = {
    "azure-native:compute:VirtualMachineScaleSet": 64,
    "azure-native:managedidentity:UserAssignedIdentity": 128,
    "azure-native:storage:StorageAccount": 24,
    "azure-native:keyvault:Vault": 24,
    "azure-native:network:LoadBalancer": 80,
    "azure-native:network:NetworkInterface": 80,
    "azure-native:network:PublicIPAddress": 80,
    "azure-native:compute:Disk": 80,
    "azure-native:operationalinsights:Workspace": 63,
    "azure-native:monitor:DataCollectionRule": 64,
    "azure-native:consumption:Budget": 63,
}
"""Longest name of what gets its logical name and eight random characters. Source: Azure Resource Manager
documentation, "Naming rules and restrictions for Azure resources"."""


def assert_nameable(recording: Recording) -> None:
    for each in recording.resources:
        for key, kind in NAMED.items():
            name = each.inputs.get(key)
            assert not isinstance(name, str) or "<" in name or wrong_name(kind, name) is None, (each.name, name)
        if each.type in AUTONAMED and each.custom:
            assert len(each.name) + 8 <= AUTONAMED[each.type], each.name


def test_no_name_is_too_long(stack: str) -> None:
    assert_nameable(recorded(stack))


def test_the_longest_names_that_our_rules_allow_are_not_too_long() -> None:
    cluster = described("azure-nd")["hpc:cluster"]
    made = changed(
        "azure-nd",
        name="c" * 27,
        queues=[{**cluster["queues"][0], "name": "q" * 10}],
        storage={key[0] * 30: value for key, value in cluster["storage"].items()},
        buckets={"b" * 14: {"type": "blob"}},
    )
    assert_nameable(made)
