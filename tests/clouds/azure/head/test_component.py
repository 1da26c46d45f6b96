import base64
import json
from dataclasses import replace
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.nodes_sample import NODES_GROUP, SERVICE_TAGS, SERVICES, THEIRS, WHO, WHO_LENDS
from clouds.azure.sample import GROUP, NETWORK, SUBSCRIPTION, TAGS
from hpc_components.azure.disks.component import RootDisk, StateDisk
from hpc_components.azure.head.component import SlurmHeadNode, SlurmHeadNodeArgs
from hpc_components.azure.identity.grants import (
    DEPLOY_ACTIONS,
    LAUNCH_ACTIONS,
    MACHINE_ACTIONS,
    SEE_LOGIN_NODES_ACTIONS,
    USE_ACTIONS,
)
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.machines.profile import UNUSABLE_SSH_KEY
from hpc_components.azure.ports import FleetRef, Identities
from hpc_components.boot import user_data
from hpc_components.preview.record import UNKNOWN, ProgramError, Recording, record

IMAGE = "Canonical:ubuntu-24_04-lts:server:24.04.202607140"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDVPvfgLJeHGLAcgtuxZN3w5lBR0p0RJU9sAJaKHX+hD admin@site"
ELSEWHERE = f"{SUBSCRIPTION}/resourceGroups/site/providers/Microsoft.Network/virtualNetworks/site/subnets/batch"
FLEET = FleetRef(
    scale_sets={"Standard_HB176rs_v4/eastus-1": "set"},
    flexible=False,
    purchase="on_demand",
    identities=(),
    subnets=(ELSEWHERE,),
)
VM, NIC, DISK = "azure-native:compute:VirtualMachine", "NetworkInterface", "azure-native:compute:Disk"


def args(**change: Any) -> SlurmHeadNodeArgs:
    usual: dict[str, Any] = {
        "group": GROUP,
        "nodes_group": NODES_GROUP,
        "machine": "Standard_D4s_v5",
        "image": IMAGE,
        "user_data": user_data("azure"),
        "zone": "eastus-1",
        "subnet_id": NETWORK.subnets["head"],
        "private_ip": "10.20.0.20",
        "root": RootDisk(size_gib=64),
        "state": StateDisk(size_gib=128),
        "identities": WHO,
        "services": SERVICES,
        "fleets": (FLEET,),
        "tags": TAGS,
    }
    return SlurmHeadNodeArgs(**{**usual, **change})


def make(**change: Any) -> None:
    head = SlurmHeadNode("head", args(**change))
    pulumi.export("head", {"private_ip": head.private_ip, "public_ip": head.public_ip, "vm_id": head.vm_id})


def recorded(**change: Any) -> Recording:
    return record(lambda: make(**change))


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_a_head_node_is_made_of_these_resources(usual):
    assert {(each.type.rpartition(":")[2], each.name) for each in usual.resources} == {
        ("SlurmHeadNode", "head"),
        *(
            ("RoleAssignment", f"head-{what}")
            for what in (
                "launches-nodes", "reads-config", "sets-jwt", "sets-munge", "uses-batch-139469", "uses-group",
                "uses-nodes-group", "writes-logs", "writes-names",
            )
        ),
        ("RoleDefinition", "head-launch"),
        ("RoleDefinition", "head-use"),
        ("NetworkInterface", "head-interface"),
        ("Disk", "head-state"),
        ("VirtualMachine", "head"),
    }  # fmt: skip


def test_the_machine_has_these_inputs(usual):
    inputs = dict(usual.one(VM).inputs)
    for elsewhere in ("osProfile", "storageProfile", "tags"):
        del inputs[elsewhere]
    assert inputs == {
        "diagnosticsProfile": {"bootDiagnostics": {"enabled": True}},
        "hardwareProfile": {"vmSize": "Standard_D4s_v5"},
        "identity": {"type": "UserAssigned", "userAssignedIdentities": [WHO.own.id]},
        "location": "eastus",
        "networkProfile": {"networkInterfaces": [{"deleteOption": "Detach", "id": UNKNOWN, "primary": True}]},
        "resourceGroupName": "cfd",
        "vmName": "head",
        "zones": ["1"],
    }


def test_it_reads_all_that_it_must_know_in_its_tags(usual):
    tags = usual.one(VM).inputs["tags"]
    assert tags == {
        **SERVICE_TAGS,
        "Name": "head",
        "hpc:role": "head",
        "hpc:zone": "eastus-1",
        "hpc:nodes-group": NODES_GROUP.id,
    }
    lends = recorded(identities=WHO_LENDS).one(VM).inputs["tags"]
    assert lends["hpc:data-identity"] == "22222222-0000-0000-0000-000000000000"


def test_the_machine_has_its_image_and_disks(usual):
    storage = usual.one(VM).inputs["storageProfile"]
    assert storage["imageReference"] == {
        "publisher": "Canonical",
        "offer": "ubuntu-24_04-lts",
        "sku": "server",
        "version": "24.04.202607140",
    }
    assert (storage["osDisk"]["createOption"], storage["osDisk"]["deleteOption"]) == ("FromImage", "Delete")
    assert storage["dataDisks"] == [
        {
            "caching": "None",
            "createOption": "Attach",
            "deleteOption": "Detach",
            "lun": 0,
            "managedDisk": {"id": UNKNOWN},
        }
    ]
    assert usual.one(DISK).urn in usual.one(VM).property_dependencies["storageProfile"]


def test_only_a_given_key_lets_an_administrator_in(usual):
    os = usual.one(VM).inputs["osProfile"]
    assert base64.b64decode(os["customData"]).decode() == user_data("azure")
    assert (os["adminUsername"], os["computerName"]) == ("azureuser", "head")
    assert os["linuxConfiguration"]["ssh"]["publicKeys"][0]["keyData"] == UNUSABLE_SSH_KEY
    os = recorded(ssh_key=KEY, admin_user="hpcadmin").one(VM).inputs["osProfile"]
    assert os["linuxConfiguration"]["ssh"]["publicKeys"] == [
        {"keyData": KEY, "path": "/home/hpcadmin/.ssh/authorized_keys"}
    ]


def test_the_address_is_fixed_and_outlives_the_node(usual):
    interface = usual.one(NIC)
    (address,) = interface.inputs["ipConfigurations"]
    assert address == {
        "name": "address",
        "primary": True,
        "privateIPAddress": "10.20.0.20",
        "privateIPAllocationMethod": "Static",
        "subnet": {"id": NETWORK.subnets["head"]}
        | {key: address["subnet"][key] for key in address["subnet"] if key.startswith("private")},
    }
    assert interface.delete_before_replace, "two can't have one address"
    assert not interface.depends_on
    guarded = recorded(security_group_id="/nsg").one(NIC).inputs
    assert guarded["networkSecurityGroup"] == {"id": "/nsg"}


def test_the_state_outlives_the_node(usual):
    disk = usual.one(DISK)
    assert disk.inputs == {
        "creationData": {"createOption": "Empty"},
        "diskSizeGB": 128,
        "location": "eastus",
        "networkAccessPolicy": "DenyAll",
        "publicNetworkAccess": "Disabled",
        "resourceGroupName": "cfd",
        "sku": {"name": "Premium_LRS"},
        "tags": {"ClusterName": "cfd", "Name": "head-state", "Project": "wing"},
        "zones": ["1"],
    }
    assert (disk.protect, disk.retain) == (True, True)
    assert disk.depends_on == (), "a new machine does not make a new disk"
    assert not recorded(retain=False).one(DISK).protect


def test_faster_disks_and_own_keys_are_possible():
    state = StateDisk(size_gib=64, type="PremiumV2_LRS", iops=4000, throughput=200, encryption_set="/set")
    disk = recorded(state=state).one(DISK).inputs
    assert (disk["diskIOPSReadWrite"], disk["diskMBpsReadWrite"], disk["sku"]["name"]) == (4000, 200, "PremiumV2_LRS")
    assert disk["encryption"] == {"diskEncryptionSetId": "/set", "type": "EncryptionAtRestWithCustomerKey"}


def test_one_takes_over_from_the_other(usual):
    machine = usual.one(VM)
    assert machine.delete_before_replace, "two can't have one interface and one disk"
    assert machine.ignore_changes == ("osProfile.customData",)
    assert set(machine.replace_on_changes) == {
        "networkProfile",
        "osProfile.adminUsername",
        "osProfile.computerName",
        "osProfile.linuxConfiguration",
        "plan",
        "storageProfile.imageReference",
        "storageProfile.osDisk",
        "zones",
    }, "Azure refuses to change these"


def test_an_image_can_have_a_purchase_plan(usual):
    plan = {"publisher": "center-for-internet-security-inc", "product": "cis-ubuntu", "name": "cis-l1"}
    made = recorded(image=f"{plan['publisher']}:cis-ubuntu:cis-l1:1.0.1", image_plan=ImagePlan(**plan))
    assert made.one(VM).inputs["plan"] == plan
    assert "plan" not in usual.one(VM).inputs


def changed(**change: Any) -> set[str]:
    before, after = recorded(), recorded(**change)
    old = {each.urn: each for each in before.resources if each.custom}
    new = {each.urn: each for each in after.resources if each.custom}
    gone = {urn.rpartition(":")[0].rpartition(":")[0].rpartition(":")[2] for urn in old.keys() - new.keys()}
    return gone | {each.type.rpartition(":")[2] for urn, each in new.items() if each != old.get(urn)}


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"fleets": (replace(FLEET, scale_sets={"Standard_HB176rs_v4/eastus-1": "other"}),)}, set()),
        ({"fleets": (FLEET, FLEET)}, set()),
        ({"image": "Debian:debian-13:13-gen2:0.20260914.2601"}, {"VirtualMachine"}),
        ({"machine": "Standard_D8s_v5"}, {"VirtualMachine"}),
        ({"security_group_id": "/nsg"}, {"NetworkInterface"}),
        ({"state": StateDisk(size_gib=256)}, {"Disk"}),
        ({"public": True}, {"NetworkInterface", "PublicIPAddress"}),
    ],
)
def test_a_change_touches_these_resources_only(change, touched):
    assert changed(**change) == touched


def test_a_public_head_node_has_a_fixed_address():
    public = recorded(public=True)
    address = public.one("PublicIPAddress", "head-address")
    assert (address.inputs["publicIPAllocationMethod"], address.inputs["sku"]) == ("Static", {"name": "Standard"})
    assert address.inputs["idleTimeoutInMinutes"] == 30
    assert address.urn in public.one(NIC).property_dependencies["ipConfigurations"]
    assert address.depends_on == (), "it stays when the machine goes"
    assert record(lambda: make(public=True), preview=False).outputs["head"]["public_ip"]
    assert recorded().outputs["head"]["public_ip"] is None


def test_it_boots_with_its_rights_and_loses_them_after_its_end(usual):
    rights = {each.urn for each in usual.all("RoleAssignment")}
    assert rights <= set(usual.one(VM).depends_on)


def role(recording: Recording, name: str) -> dict[str, Any]:
    return recording.one("RoleDefinition", name).inputs


def test_the_head_node_may_launch_in_the_nodes_group_only(usual):
    launch = role(usual, "head-launch")
    assert (launch["scope"], launch["assignableScopes"]) == (NODES_GROUP.id, [NODES_GROUP.id])
    assert launch["permissions"] == [{"actions": list(LAUNCH_ACTIONS)}]
    assignment = usual.one("RoleAssignment", "head-launches-nodes")
    assert assignment.inputs["scope"] == NODES_GROUP.id
    definition = usual.one("RoleDefinition", "head-launch").urn
    assert assignment.property_dependencies["roleDefinitionId"] == (definition,)


def test_it_makes_ordinary_machines_only_for_flexible_scale_sets_and_availability_sets(usual):
    """Machines of a Uniform scale set are not ordinary virtual machines."""
    sets = {"Standard_HB176rs_v4/eastus": f"{NODES_GROUP.id}/providers/Microsoft.Compute/availabilitySets/a"}
    named = FleetRef(scale_sets={}, availability_sets=sets, purchase="on_demand", identities=(), subnets=())
    launch = role(recorded(fleets=(FLEET, named)), "head-launch")
    assert launch["permissions"] == [{"actions": [*LAUNCH_ACTIONS, *MACHINE_ACTIONS, *DEPLOY_ACTIONS]}]
    assert launch["scope"] == NODES_GROUP.id
    flexible = role(recorded(fleets=(FLEET, replace(FLEET, flexible=True))), "head-launch")
    assert flexible["permissions"] == [{"actions": [*LAUNCH_ACTIONS, *MACHINE_ACTIONS]}]
    assert "Microsoft.Compute/virtualMachines/write" not in role(usual, "head-launch")["permissions"][0]["actions"]


def test_it_uses_what_nodes_are_made_with(usual):
    use = role(usual, "head-use")
    site = f"{SUBSCRIPTION}/resourceGroups/site"
    assert (use["scope"], use["assignableScopes"]) == (GROUP.id, [GROUP.id, NODES_GROUP.id, site])
    assert use["permissions"] == [{"actions": [*USE_ACTIONS, *SEE_LOGIN_NODES_ACTIONS]}]
    scopes = {each.inputs["scope"] for each in usual.all("RoleAssignment") if "-uses-" in each.name}
    assert scopes == {GROUP.id, NODES_GROUP.id, ELSEWHERE}, "what is in the network's own group, one by one"


def test_no_two_clusters_of_a_tenant_have_roles_of_one_name(usual):
    titles = {each.inputs["roleName"] for each in usual.all("RoleDefinition")}
    assert len(titles) == 2
    assert all(NODES_GROUP.id in title for title in titles)


def test_a_computed_subnet_is_in_the_clusters_group():
    def program() -> None:
        ours = pulumi.Output.from_input(f"{GROUP.id}/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes")
        make(fleets=(replace(FLEET, subnets=(ours,), identities=(ours,)),))

    recording = record(program)
    assert role(recording, "head-use")["assignableScopes"] == [GROUP.id, NODES_GROUP.id]
    scopes = {each.inputs["scope"] for each in recording.all("RoleAssignment") if "-uses-" in each.name}
    assert scopes == {GROUP.id, NODES_GROUP.id}


@pytest.mark.parametrize("change", [{"fleets": ()}, {"identities": THEIRS}])
def test_without_fleets_or_with_the_users_identity_no_role_is_made(change):
    recording = recorded(**change)
    assert not recording.all("RoleDefinition")
    assert bool(recording.all("RoleAssignment")) == ("fleets" in change)


def test_the_plan_has_no_secret(usual):
    text = json.dumps([each.inputs for each in usual.resources])
    assert "unset" not in text
    assert "password" not in text.lower().replace("disablepasswordauthentication", "")


def test_the_users_options_decide_on_protection():
    options = pulumi.ResourceOptions(protect=False, retain_on_delete=False)
    disk = record(lambda: SlurmHeadNode("head", args(), options)).one(DISK)
    assert (disk.protect, disk.retain) == (False, False)


def test_a_region_without_zones_needs_none():
    recording = recorded(zone="eastus")
    assert "zones" not in recording.one(VM).inputs
    assert "zones" not in recording.one(DISK).inputs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "Standard_D4_v55"}, "machine: 'Standard_D4_v55' is not an Azure VM size"),
        (
            {"image": "center-for-internet-security-inc:cis-ubuntu:cis-l1:1.0.1"},
            "image = 'center-for-internet-security-inc:cis-ubuntu:cis-l1:1.0.1': Azure refuses to create machines "
            "from center-for-internet-security-inc:cis-ubuntu:cis-l1:1.0.1 without its purchase plan; use "
            "image_plan=ImagePlan(publisher='center-for-internet-security-inc', product='cis-ubuntu', "
            "name='cis-l1'); accept the plan's terms once: az vm image terms accept",
        ),
        ({"image": "ubuntu"}, "image: 'ubuntu' is not a valid image; write publisher:offer:sku:version"),
        (
            {"private_ip": "10.20.300.4"},
            "private_ip: '10.20.300.4' is not an IPv4 address; write one like 10.20.0.20",
        ),
        ({"zone": "eastus1"}, "zone: "),
        ({"zone": "eastus-9"}, "zone: "),
        ({"root": RootDisk(size_gib=0)}, "root.size_gib = 0: "),
        (
            {"state": StateDisk(size_gib=64, iops=5000)},
            "state.iops = 5000: the size of a Premium_LRS disk determines its speed",
        ),
        (
            {"zone": "eastus", "state": StateDisk(size_gib=64, type="PremiumV2_LRS")},
            "state.type = 'PremiumV2_LRS': PremiumV2_LRS requires a machine in a zone",
        ),
        ({"ssh_key": "ecdsa-sha2-nistp256 AAAA"}, "ssh_key: Azure does not accept keys of type ecdsa-sha2-nistp256"),
        ({"ssh_key": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "ssh_key: "),
        ({"admin_user": "admin"}, "admin_user: 'admin'"),
        ({"user_data": "x" * 70_000}, "user_data: user data has 70000 bytes"),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change, message):
    with pytest.raises(ValueError, match=r"^SlurmHeadNodeArgs\.") as error:
        args(**change)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["wing_lab", "wing lab", "w" * 65])
def test_a_name_that_no_machine_can_have(name: str) -> None:
    with pytest.raises(ProgramError, match=r"SlurmHeadNode name, which is also the machine's name: .*; "):
        record(lambda: SlurmHeadNode(name, args()))


def test_identity_of_jobs_is_refused() -> None:
    usual = args()
    theirs = replace(usual.fleets[0], identities=(str(usual.identities.own.id).upper(),))
    with pytest.raises(ValueError, match=r"identities.own: .* is also used by other nodes"):
        args(fleets=(theirs,))


def test_own_identity_is_not_lent() -> None:
    own = args().identities.own
    with pytest.raises(ValueError, match=r"Identities.lent: .* is also used by other nodes"):
        Identities(own=own, lent=own)
