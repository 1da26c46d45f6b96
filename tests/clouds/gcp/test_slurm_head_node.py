import json
from dataclasses import replace
from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.nodes_sample import IMAGE, OWN_IMAGE, ROOT, WHO_LENDS
from clouds.gcp.sample import NETWORK, OWN, PROJECT, SERVICES, TAGS, THEIRS, ZONE, email
from hpc_components.boot import user_data
from hpc_components.gcp.disks.component import RootDisk, StateDisk
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.head.component import SlurmHeadNode, SlurmHeadNodeArgs
from hpc_components.gcp.head.head_roles import LAUNCH, PLACE, USE
from hpc_components.gcp.ports import CompactPlacement, FleetRef, Identities
from hpc_components.preview.record import UNKNOWN, Recording, record
from hpc_components.preview.recording import ProgramError

MACHINE, DISK, ADDRESS = "gcp:compute/instance:Instance", "gcp:compute/disk:Disk", "gcp:compute/address:Address"
OBJECT, SUBNET = "gcp:storage/bucketObject:BucketObject", "gcp:compute/subnetworkIAMMember:SubnetworkIAMMember"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDVPvfgLJeHGLAcgtuxZN3w5lBR0p0RJU9sAJaKHX+hD admin@site\n"
FLEET = FleetRef(
    queue="compute",
    templates={f"h3-standard-88/{ZONE}": f"projects/{PROJECT}/regions/us-central1/instanceTemplates/compute-1"},
    purchase="on_demand",
    service_account=email("cfd-compute"),
    subnets={"nodes": NETWORK.subnets["nodes"]},
    placement=CompactPlacement(machines=150, max_distance=2),
    images=(IMAGE,),
)
SPOT = replace(FLEET, queue="spot", purchase="spot", placement=None, service_account=email("cfd-spot"))


def args(**change: Any) -> SlurmHeadNodeArgs:
    usual: dict[str, Any] = {
        "project": PROJECT,
        "machine": "n2-standard-8",
        "image": IMAGE,
        "user_data": user_data("gcp"),
        "zone": ZONE,
        "subnet_id": NETWORK.subnets["head"],
        "private_ip": "10.20.0.20",
        "root": ROOT,
        "state": StateDisk(size_gib=128),
        "identities": Identities(own=OWN),
        "services": SERVICES,
        "fleets": (FLEET,),
        "tags": TAGS,
    }
    return SlurmHeadNodeArgs(**{**usual, **change})


def make(**change: Any) -> None:
    head = SlurmHeadNode("cfd-head", args(**change))
    pulumi.export("head", {"private_ip": head.private_ip, "public_ip": head.public_ip, "id": head.instance_id})


def recorded(**change: Any) -> Recording:
    return record(lambda: make(**change))


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def roles(recording: Recording) -> dict[str, str]:
    """Return the role of each binding of the head node's account, by suffix of the binding's name."""
    custom = {each.name: each.urn for each in recording.all("IAMCustomRole")}
    found = {}
    for each in recording.resources:
        if "IAMMember" in each.type or "IamMember" in each.type:
            made_of = each.property_dependencies.get("role", ())
            own = [name for name, urn in custom.items() if urn in made_of]
            found[each.name.removeprefix("cfd-head-")] = own[0] if own else each.inputs["role"]
    return found


def fleets_file(**change: Any) -> dict[str, Any]:
    made = record(lambda: make(**change), preview=False).one(OBJECT, "cfd-head-fleets")
    assert made.inputs["name"] == "head/fleets.json"
    return json.loads(made.inputs["source"]["asset"]["text"])


def test_the_machine_is_called_as_the_daemon_and_people_look_for_it(usual):
    inputs = usual.one(MACHINE).inputs
    assert (inputs["name"], inputs["zone"], inputs["machineType"]) == ("cfd-head", ZONE, "n2-standard-8")
    assert inputs["allowStoppingForUpdate"] is True
    assert inputs["labels"]["hpc_role"] == "head"


def test_its_address_is_reserved(usual):
    """Otherwise another machine could get it while the node is replaced."""
    address = usual.one(ADDRESS)
    assert {key: address.inputs[key] for key in ("addressType", "address", "subnetwork")} == {
        "addressType": "INTERNAL",
        "address": "10.20.0.20",
        "subnetwork": NETWORK.subnets["head"],
    }
    (card,) = usual.one(MACHINE).inputs["networkInterfaces"]
    assert card == {"subnetwork": NETWORK.subnets["head"], "networkIp": "10.20.0.20", "nicType": "GVNIC"}
    assert address.urn in usual.one(MACHINE).depends_on


def test_a_public_head_node_has_a_fixed_address():
    made = recorded(public=True)
    assert made.one(ADDRESS, "cfd-head-address").inputs["addressType"] == "EXTERNAL"
    (card,) = made.one(MACHINE).inputs["networkInterfaces"]
    assert card["accessConfigs"] == [{"natIp": UNKNOWN}]
    assert made.outputs["head"]["public_ip"] == UNKNOWN


def test_the_state_disk_outlives_the_node(usual):
    disk, machine = usual.one(DISK), usual.one(MACHINE)
    assert (disk.protect, disk.retain) == (True, True)
    assert (machine.protect, machine.retain) == (False, False)
    (attached,) = machine.inputs["attachedDisks"]
    assert attached["deviceName"] == "hpc-state", "the node finds it by that"
    assert disk.inputs["size"] == 128
    assert (recorded(retain=False).one(DISK).protect, recorded(retain=False).one(DISK).retain) == (False, False)


def test_a_new_node_takes_over_after_the_old_one_is_gone(usual):
    assert usual.one(MACHINE).delete_before_replace


def test_a_new_text_of_the_first_boot_replaces_nothing(usual):
    assert usual.one(MACHINE).ignore_changes == ('metadata["user-data"]',)


def test_disks_are_of_the_kinds_described():
    made = recorded(
        machine="c3-standard-88",
        root=RootDisk(size_gib=80, type="pd-ssd", kms_key="projects/k"),
        state=StateDisk(size_gib=100, type="hyperdisk-balanced", iops=5000, throughput=200, kms_key="projects/k"),
    )
    root = made.one(MACHINE).inputs["bootDisk"]
    assert (root["kmsKeySelfLink"], root["autoDelete"]) == ("projects/k", True)
    assert (root["initializeParams"]["type"], root["initializeParams"]["size"]) == ("pd-ssd", 80)
    state = made.one(DISK).inputs
    assert (state["type"], state["provisionedIops"], state["provisionedThroughput"]) == (
        "hyperdisk-balanced",
        5000,
        200,
    )
    assert state["diskEncryptionKey"] == {"kmsKeySelfLink": "projects/k"}


def test_metadata_says_role_config_and_fleets(usual):
    metadata = dict(usual.one(MACHINE).inputs["metadata"])
    assert metadata.pop("user-data") == user_data("gcp")
    assert metadata == {
        "hpc-cluster": "cfd",
        "hpc-role": "head",
        "hpc-config": "cfd-config-1c09",
        "hpc-project": PROJECT,
        "hpc-zone": ZONE,
        "enable-oslogin": "FALSE",
        "block-project-ssh-keys": "true",
        "serial-port-enable": "false",
    }


def test_metadata_has_the_administrators_key_and_the_data_account():
    login = Login(admin_user="ops", ssh_key=KEY)
    metadata = recorded(login=login, identities=WHO_LENDS).one(MACHINE).inputs["metadata"]
    assert metadata["ssh-keys"] == f"ops:{KEY.strip()}"
    assert metadata["hpc-data-account"] == email("cfd-data")


def test_the_fleets_as_the_driver_reads_them():
    assert fleets_file(fleets=(FLEET, SPOT)) == {
        "version": 1,
        "project": PROJECT,
        "queues": {
            "compute": {
                "templates": dict(FLEET.templates),
                "purchase": "on_demand",
                "max_run_seconds": None,
                "policy": None,
                "placement": {"machines": 150, "max_distance": 2},
                "spread": None,
            },
            "spot": {
                "templates": dict(SPOT.templates),
                "purchase": "spot",
                "max_run_seconds": None,
                "policy": None,
                "placement": None,
                "spread": None,
            },
        },
    }


def test_the_fleets_file_has_own_policy_and_time_limit():
    fleet = replace(FLEET, placement=None, spread=8, policy="projects/p/regions/r/resourcePolicies/x")
    queue = fleets_file(fleets=(replace(fleet, purchase="flex_start", max_run_seconds=3600),))["queues"]["compute"]
    assert (queue["policy"], queue["spread"], queue["max_run_seconds"]) == (fleet.policy, 8, 3600)


def test_the_node_has_these_rights_only(usual):
    assert roles(usual) == {
        "reads-config": "roles/storage.objectViewer",
        "reads-munge": "roles/secretmanager.secretAccessor",
        "sets-munge": "roles/secretmanager.secretVersionAdder",
        "reads-jwt": "roles/secretmanager.secretAccessor",
        "sets-jwt": "roles/secretmanager.secretVersionAdder",
        "writes-logs": "roles/logging.logWriter",
        "launches-nodes": "cfd-head-launch",
        "places-nodes": "cfd-head-place",
        "uses-site-nodes-0d75f0": "cfd-head-use",
        "acts-as-cfd-compute-cdcb3b": "roles/iam.serviceAccountUser",
    }


def test_no_permission_can_change_more_than_machines_disks_and_policies():
    every = (*LAUNCH, *PLACE, *USE)
    assert not [each for each in every if "*" in each]
    changing = {each for each in every if not each.endswith((".get", ".list", ".use", ".useReadOnly"))}
    assert {each.split(".")[1] for each in changing} == {"instances", "disks", "resourcePolicies"}


def test_it_makes_and_deletes_machines_of_its_cluster_only(usual):
    bound = usual.one("gcp:projects/iAMMember:IAMMember", "cfd-head-launches-nodes").inputs
    expression = bound["condition"]["expression"]
    for kind, names in (("Instance", "instances"), ("Disk", "disks")):
        assert f'resource.type != "compute.googleapis.com/{kind}"' in expression
        assert f'resource.name.extract("/{names}/{{name}}").startsWith("cfd-")' in expression


def test_the_node_boots_with_its_permissions_and_loses_them_last(usual):
    machine = usual.one(MACHINE)
    bound = [each.urn for each in usual.resources if "ember" in each.type]
    assert len(bound) == len(roles(usual))
    assert set(bound) <= set(machine.depends_on)
    assert usual.one(OBJECT).urn in machine.depends_on


def test_a_subnet_and_an_account_that_queues_share_are_bound_once():
    """Of two equal bindings, deleting one would remove the other."""
    shared = replace(SPOT, service_account=FLEET.service_account)
    made = roles(recorded(fleets=(FLEET, shared)))
    assert len([name for name in made if name.startswith("uses-")]) == 1
    assert len([name for name in made if name.startswith("acts-as-")]) == 1


def test_names_of_bindings_stay_when_a_queue_goes():
    both, one = roles(recorded(fleets=(FLEET, SPOT))), roles(recorded(fleets=(SPOT,)))
    assert set(one) < set(both)


def test_a_subnet_of_another_project_is_bound_by_a_role_that_holds_there():
    shared = replace(FLEET, subnets={"nodes": "projects/host/regions/us-central1/subnetworks/batch"})
    found = [each.inputs["role"] for each in recorded(fleets=(shared,)).all(SUBNET)]
    assert found == ["roles/compute.networkUser"]


def test_an_image_of_ones_own_is_bound_and_a_public_one_is_not():
    own = replace(FLEET, images=(OWN_IMAGE, "projects/images/global/images/family/hpc", IMAGE))
    made = recorded(fleets=(own,))
    (image,) = made.all("ImageIamMember")
    assert (image.inputs["image"], image.inputs["role"]) == (OWN_IMAGE, "roles/compute.imageUser")
    (family,) = [each for each in made.all("gcp:projects/iAMMember:IAMMember") if "uses-hpc" in each.name]
    assert family.inputs["project"] == "images"
    assert family.inputs["condition"]["expression"] == 'resource.type == "compute.googleapis.com/Image"'


def test_an_account_of_ones_own_is_given_nothing():
    made = recorded(identities=THEIRS)
    assert roles(made) == {}
    assert made.all("IAMCustomRole") == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "n2-standard-7"}, "machine: 'n2-standard-7' is not a Google Cloud machine type"),
        ({"image": "debian"}, "image: 'debian' is not an image reference;"),
        ({"zone": "us-central1"}, r"zone\[0\]: 'us-central1' is not a zone"),
        ({"private_ip": "10.20.0"}, "private_ip: '10.20.0' is not an IPv4 address; use an address"),
        (
            {"state": StateDisk(size_gib=5)},
            "state.size_gib = 5: a pd-balanced disk must have 10 to 65,536 GiB, not 5",
        ),
        ({"fleets": (FLEET, FLEET)}, r"fleets\[1\]: queue 'compute' has two fleets"),
    ],
)
def test_what_google_would_refuse_is_refused_here(change, message):
    with pytest.raises(ValueError, match=f"SlurmHeadNodeArgs.{message}"):
        args(**change)


def test_a_name_that_no_machine_can_have():
    with pytest.raises(ProgramError, match="name: a name in Compute Engine can't contain 'H'"):
        record(lambda: SlurmHeadNode("Head", args()))


def test_account_of_jobs_is_refused() -> None:
    usual = args()
    theirs = replace(usual.fleets[0], service_account=usual.identities.own.email)
    with pytest.raises(ValueError, match=r"identities.own: .* is also used by other nodes"):
        args(fleets=(theirs,))


def test_own_account_is_not_lent() -> None:
    own = args().identities.own
    with pytest.raises(ValueError, match=r"Identities.lent: .* is also used by other nodes"):
        Identities(own=own, lent=own)
