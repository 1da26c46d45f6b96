from dataclasses import replace
from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.nodes_sample import IMAGE, OWN_IMAGE, ROOT, WHO, WHO_LENDS, card
from clouds.gcp.sample import NETWORK, PROJECT, SERVICES, TAGS, THEIRS, ZONE, email
from hpc_components.boot import user_data
from hpc_components.gcp.disks.component import RootDisk
from hpc_components.gcp.fleet.component import CompactComputeFleet, CompactComputeFleetArgs
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.ports import CompactPlacement, FleetRef, Network
from hpc_components.gcp.tags import Tags
from hpc_components.preview.record import RecordedResource, Recording, record

TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
H3, PLAIN, RDMA, ULTRA = "h3-standard-88", "c2d-standard-112", "h4d-standard-192", "a3-ultragpu-8g"
OTHER_ZONE = "us-central1-b"
POLICY = f"projects/{PROJECT}/regions/us-central1/resourcePolicies/mine"
RESERVATION = f"projects/{PROJECT}/reservations/cpus"
FALCON = card("falcon", "IRDMA")
ARGS: dict[str, Any] = {
    "project": PROJECT,
    "queue": "compute-queue",
    "machines": (H3,),
    "network": NETWORK,
    "zones": (ZONE,),
    "max": 16,
    "placement": CompactPlacement(machines=1500),
    "image": IMAGE,
    "user_data": user_data("gcp"),
    "root": ROOT,
    "identities": WHO,
    "services": SERVICES,
    "tags": TAGS,
}
LOOSE: dict[str, Any] = {"machines": (PLAIN,), "placement": None}


def with_cards(*cards: Any) -> Network:
    return replace(NETWORK, cards={("compute-queue", ZONE): cards})


def fleet_args(**change: Any) -> CompactComputeFleetArgs:
    return CompactComputeFleetArgs(**{**ARGS, **change})


def make(**change: Any) -> FleetRef:
    made = CompactComputeFleet("cfd-compute-queue", fleet_args(**change)).fleet
    pulumi.export("templates", dict(made.templates))
    return made


def fleet(**change: Any) -> tuple[Recording, FleetRef]:
    made: list[FleetRef] = []
    return record(lambda: made.append(make(**change))), made[0]


def template(**change: Any) -> dict[str, Any]:
    return fleet(**change)[0].one(TEMPLATE).inputs


@pytest.fixture(scope="module")
def compact() -> RecordedResource:
    return checked_preview(make).one(TEMPLATE)


def test_a_compact_machine_ends_with_its_host_and_the_daemon_brings_another(compact):
    """Google moves no machine of a placement policy; one that Google started again would be a node that nobody
    awaits."""
    assert compact.inputs["scheduling"] == {
        "provisioningModel": "STANDARD",
        "automaticRestart": False,
        "onHostMaintenance": "TERMINATE",
    }
    assert (compact.inputs["machineType"], compact.inputs["region"]) == (H3, "us-central1")


def test_a_template_names_neither_count_nor_policy(compact):
    assert not {"resourcePolicies", "targetSize", "guestAccelerators", "minCpuPlatform"} & set(compact.inputs)
    assert fleet(max=3)[0].one(TEMPLATE).inputs == compact.inputs


def test_a_node_has_one_gvnic_without_a_public_address(compact):
    assert compact.inputs["networkInterfaces"] == [{"subnetwork": NETWORK.subnets["nodes"], "nicType": "GVNIC"}]


@pytest.mark.parametrize(
    ("change", "scheduling"),
    [
        ({}, {"provisioningModel": "STANDARD", "onHostMaintenance": "MIGRATE"}),
        ({"policy": POLICY}, {"provisioningModel": "STANDARD", "onHostMaintenance": "TERMINATE"}),
        ({"machines": ("g2-standard-96",)}, {"provisioningModel": "STANDARD", "onHostMaintenance": "TERMINATE"}),
        (
            {"purchase": "spot"},
            {
                "provisioningModel": "SPOT",
                "preemptible": True,
                "onHostMaintenance": "TERMINATE",
                "instanceTerminationAction": "DELETE",
                "preemptionNoticeDuration": {"seconds": 120},
            },
        ),
        (
            {"machines": (RDMA,), "purchase": "flex_start", "max_run_seconds": 7200},
            {
                "provisioningModel": "FLEX_START",
                "onHostMaintenance": "TERMINATE",
                "instanceTerminationAction": "DELETE",
                "maxRunDuration": {"seconds": 7200},
            },
        ),
    ],
)
def test_machines_are_bought_and_ended_as_described(change, scheduling):
    assert template(**{**LOOSE, **change})["scheduling"] == {"automaticRestart": False, **scheduling}


def test_flex_start_runs_for_a_week_unless_something_else_is_said():
    made, ref = fleet(machines=(RDMA,), purchase="flex_start")
    assert made.one(TEMPLATE).inputs["scheduling"]["maxRunDuration"] == {"seconds": 604800}
    assert ref.max_run_seconds == 604800
    assert fleet(**LOOSE)[1].max_run_seconds is None


def test_spot_and_flex_start_take_no_reservation_and_others_any():
    for purchase in ("spot", "flex_start"):
        assert template(machines=(RDMA,), purchase=purchase)["reservationAffinity"] == {"type": "NO_RESERVATION"}
    assert "reservationAffinity" not in template(**LOOSE)


def test_a_reservation_is_named_by_its_id():
    inputs = template(**LOOSE, purchase="reservation", reservation=RESERVATION)
    assert inputs["reservationAffinity"] == {
        "type": "SPECIFIC_RESERVATION",
        "specificReservation": {"key": "compute.googleapis.com/reservation-name", "values": [RESERVATION]},
    }
    assert inputs["scheduling"]["provisioningModel"] == "STANDARD"


@pytest.mark.parametrize(("bound", "model"), [(True, "RESERVATION_BOUND"), (False, "STANDARD")])
def test_a_reservation_says_whether_machines_end_with_it(bound, model):
    for machine in (RDMA, ULTRA):
        reserved = {"purchase": "reservation", "reservation": RESERVATION, "bound": bound}
        assert template(**LOOSE | {"machines": (machine,)}, **reserved)["scheduling"]["provisioningModel"] == model
    with pytest.raises(ValueError, match=r"\.bound: bound only applies to machines from a reservation"):
        fleet_args(bound=bound)


@pytest.mark.parametrize(
    "change", [{"machines": (ULTRA,)}, {"reservation": f"{RESERVATION}/reservationBlocks/block-1"}]
)
def test_a_block_of_reserved_machines_ends_with_its_reservation(change):
    made = template(**{**LOOSE, "purchase": "reservation", "reservation": RESERVATION, **change})
    assert made["scheduling"]["provisioningModel"] == "RESERVATION_BOUND"
    assert made["scheduling"]["instanceTerminationAction"] == "DELETE"


@pytest.mark.parametrize(
    ("machine", "smt", "features"),
    [(PLAIN, True, None), (PLAIN, False, {"threadsPerCore": 1}), (H3, False, None)],
)
def test_threads_are_switched_off_where_a_machine_has_them(machine, smt, features):
    assert template(machines=(machine,), smt=smt).get("advancedMachineFeatures") == features


def test_tier_1_is_ordered_only_when_asked_for():
    assert template(**LOOSE, tier_1=True)["networkPerformanceConfig"] == {"totalEgressBandwidthTier": "TIER_1"}
    assert "networkPerformanceConfig" not in template(**LOOSE)


def test_the_card_of_cloud_rdma_is_the_second_one():
    made, ref = fleet(machines=(RDMA,), network=with_cards(FALCON))
    first, second = made.one(TEMPLATE).inputs["networkInterfaces"]
    assert first["nicType"] == "GVNIC"
    assert second == {"network": FALCON.network, "subnetwork": FALCON.subnet, "nicType": "IRDMA"}
    assert ref.subnets == {"nodes": NETWORK.subnets["nodes"], f"{ZONE}-irdma-1": FALCON.subnet}


def test_ten_cards_of_a_gpu_machine_keep_their_order():
    cards = (card("net1", "GVNIC"), *(card(f"roce{number}", "MRDMA") for number in range(8)))
    inputs = template(**LOOSE | {"machines": (ULTRA,)}, network=with_cards(*cards))
    assert [each["nicType"] for each in inputs["networkInterfaces"]] == ["GVNIC"] * 2 + ["MRDMA"] * 8


def test_machines_without_the_fabric_have_no_further_cards():
    made, _ = fleet(machines=(RDMA, PLAIN), network=with_cards(FALCON))
    cards = {each.inputs["machineType"]: len(each.inputs["networkInterfaces"]) for each in made.all(TEMPLATE)}
    assert cards == {RDMA: 2, PLAIN: 1}
    assert len(template(machines=(RDMA,), network=with_cards(FALCON), fabric=False)["networkInterfaces"]) == 1


def test_the_root_disk_is_one_that_the_machine_takes():
    assert template()["disks"][0]["diskType"] == "pd-balanced"
    assert template(machines=(RDMA,), network=with_cards(FALCON))["disks"][0]["diskType"] == "hyperdisk-balanced"
    root = RootDisk(size_gib=200, type="hyperdisk-balanced", iops=6000, throughput=300, kms_key="projects/k")
    (disk,) = template(root=root)["disks"]
    labels = disk.pop("labels")
    assert labels["clustername"] == "cfd", "the cost of disks counts for the budget"
    assert disk == {
        "boot": True,
        "autoDelete": True,
        "sourceImage": IMAGE,
        "diskType": "hyperdisk-balanced",
        "diskSizeGb": 200,
        "provisionedIops": 6000,
        "provisionedThroughput": 300,
        "diskEncryptionKey": {"kmsKeySelfLink": "projects/k"},
    }


def test_a_machine_reads_in_its_metadata_what_it_must_know(compact):
    metadata = dict(compact.inputs["metadata"])
    assert metadata.pop("user-data") == user_data("gcp")
    assert metadata == {
        "hpc-cluster": "cfd",
        "hpc-role": "compute",
        "hpc-config": "cfd-config-1c09",
        "hpc-project": PROJECT,
        "hpc-queue": "compute-queue",
        "hpc-machine": H3,
        "hpc-zone": ZONE,
        "hpc-purchase": "on_demand",
        "enable-oslogin": "FALSE",
        "block-project-ssh-keys": "true",
        "serial-port-enable": "false",
    }


def test_metadata_has_the_lent_account_and_os_login():
    metadata = template(identities=WHO_LENDS, login=Login(os_login=True, ssh_key="ssh-ed25519 AAAA me"))["metadata"]
    assert (metadata["hpc-data-account"], metadata["enable-oslogin"]) == (email("cfd-data"), "TRUE")
    assert "ssh-keys" not in metadata, "OS Login uses none"


def test_machines_have_the_labels_of_the_daemon(compact):
    labels = compact.inputs["labels"]
    assert {key: labels[key] for key in ("clustername", "hpc_role", "hpc_queue", "project")} == {
        "clustername": "cfd",
        "hpc_role": "compute",
        "hpc_queue": "compute-queue",
        "project": "wing",
    }


def test_a_machine_is_shielded_with_one_account_of_any_scope(compact):
    assert compact.inputs["shieldedInstanceConfig"] == {
        "enableVtpm": True,
        "enableIntegrityMonitoring": True,
        "enableSecureBoot": False,
    }
    assert compact.inputs["serviceAccount"] == {
        "email": email("cfd-node"),
        "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
    }


def test_what_the_account_may_do_and_nodes_come_after_it():
    made, _ = fleet()
    roles = {each.name.removeprefix("cfd-compute-queue-"): each for each in made.all("IAMMember")}
    roles |= {each.name.removeprefix("cfd-compute-queue-"): each for each in made.all("SecretIamMember")}
    roles |= {each.name.removeprefix("cfd-compute-queue-"): each for each in made.all("BucketIAMMember")}
    assert {name: each.inputs["role"] for name, each in roles.items()} == {
        "reads-config": "roles/storage.objectViewer",
        "reads-munge": "roles/secretmanager.secretAccessor",
        "writes-logs": "roles/logging.logWriter",
    }
    assert {each.urn for each in roles.values()} <= set(made.one(TEMPLATE).depends_on)


def test_an_account_of_ones_own_is_given_nothing():
    made, ref = fleet(identities=THEIRS)
    assert [each.type for each in made.resources if "iam" in each.type.lower()] == []
    assert ref.service_account == email("theirs")


def test_each_machine_type_and_zone_has_a_template():
    made, ref = fleet(**LOOSE | {"machines": (PLAIN, "c3-standard-176")}, zones=(ZONE, OTHER_ZONE))
    names = {each.name for each in made.all(TEMPLATE)}
    assert set(ref.templates) == {
        f"{machine}/{zone}" for machine in (PLAIN, "c3-standard-176") for zone in (ZONE, OTHER_ZONE)
    }
    assert len(names) == 4
    assert {each.inputs["metadata"]["hpc-zone"] for each in made.all(TEMPLATE)} == {ZONE, OTHER_ZONE}


def test_a_long_name_is_cut_and_still_no_others():
    def program() -> None:
        for queue in ("a" * 20, "a" * 20 + "b"):
            CompactComputeFleet(f"university-{queue}", fleet_args(queue=queue, zones=(ZONE, OTHER_ZONE)))

    names = [each.name for each in record(program).all(TEMPLATE)]
    assert len(set(names)) == 4
    assert max(map(len, names)) <= 55


def test_the_fleet_tells_the_head_node_its_placement_and_images():
    _, ref = fleet(image=OWN_IMAGE)
    assert (ref.queue, ref.purchase, ref.policy, ref.spread) == ("compute-queue", "on_demand", None, None)
    assert ref.placement == CompactPlacement(machines=1500)
    assert ref.images == (OWN_IMAGE,)
    assert fleet(**LOOSE, spread=8, policy=POLICY)[1].spread == 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"queue": "Compute"}, "queue: 'Compute' can't be part of node names"),
        ({"max": 0}, "max: 0 can't be combined with min 0;"),
        ({"min": 3, "max": 2}, "max: 2 can't be combined with min 3;"),
        ({"queue": "q" * 60}, "has 67 characters; a name in Compute Engine must have 1 to 63 characters"),
        (
            {"network": replace(NETWORK, subnets={})},
            r"network: there is no subnet for nodes \(existing subnets: none\)",
        ),
        ({"zones": ()}, "zones is empty; specify at least one zone"),
        ({"zones": ("us-central1",)}, r"zones\[0\]: 'us-central1' is not a zone; use a zone such as us-central1-a"),
        ({"zones": (ZONE, ZONE)}, r"zones\[1\]: 'us-central1-a' appears twice"),
        ({"zones": (ZONE, "us-east1-b")}, r"zones\[1\]: 'us-east1-b' is not in us-central1"),
        ({"machines": ()}, "machines is empty"),
        ({"machines": ("h3-standard-87",)}, "'h3-standard-87' is not a Google Cloud machine type; did you mean"),
        ({"machines": (H3, H3)}, r"machines\[1\]: 'h3-standard-88' appears twice"),
        ({"fabric": True}, r"machines\[0\]: 'h3-standard-88' has no fast fabric"),
        (
            {"machines": (RDMA,), "fabric": True},
            "network: queue compute-queue has no subnets for additional network cards in",
        ),
        (
            {"purchase": "cheap"},
            "purchase: 'cheap' is unknown; use on_demand, spot, flex_start or reservation",
        ),
        (
            {"purchase": "reservation"},
            "reservation: set this argument if the purchase option is reservation, and only then",
        ),
        (
            {"reservation": RESERVATION},
            "reservation: set this argument if the purchase option is reservation, and only then",
        ),
        (
            {"purchase": "reservation", "reservation": RESERVATION, "zones": (ZONE, OTHER_ZONE), "placement": None},
            "zones: reservation machines must all be in the same zone; specify a single zone",
        ),
        (
            {"purchase": "reservation", "reservation": RESERVATION, "machines": (PLAIN, H3), "placement": None},
            "machines: a reservation covers only one machine type; specify a single type",
        ),
        ({"tier_1": True}, "tier_1 = True: h3-standard-88 does not support Tier_1 networking; use False"),
        (
            {"machines": ("a3-highgpu-8g",), "placement": CompactPlacement(machines=22, max_distance=1)},
            "placement.max_distance: a3-highgpu-8g does not support a maximum distance of 1; use 2 or 3",
        ),
        (
            {"purchase": "flex_start", "machines": ("a2-highgpu-8g",)},
            r"machines\[0\]: a2-highgpu-8g can't be placed close together as flex_start",
        ),
        ({"max_run_seconds": 900}, "max_run_seconds: can't be 900; a maximum run time requires flex_start"),
        (
            {"machines": (RDMA,), "purchase": "flex_start", "max_run_seconds": 60},
            "can't be 60; a maximum run time requires flex_start, and must be from 600 to 604800",
        ),
        (
            {"purchase": "flex_start"},
            r"machines\[0\]: Google does not sell h3-standard-88 as flex_start; use on_demand",
        ),
        (
            {"policy": POLICY},
            "placement: with placement, the daemon creates the placement policies itself; leave spread and "
            "policy out",
        ),
        ({"spread": 8, "placement": None}, "spread: spreading the machines requires a placement policy; specify"),
        ({"placement": CompactPlacement(machines=0)}, "placement.machines: a policy can't place 0 machines;"),
        ({"machines": ("e2-standard-4",)}, "e2-standard-4 can't be placed close together"),
        (
            {"image": "ubuntu-2404"},
            "image: 'ubuntu-2404' is not an image reference; write projects/",
        ),
        ({"user_data": "x" * 262145}, "user_data: user data has 262145 bytes, but Google accepts at most 262144"),
        ({"root": RootDisk(size_gib=5)}, "root.size_gib = 5: a pd-balanced disk must have 10 to 65,536 GiB, not 5"),
        (
            {"machines": (RDMA,), "root": RootDisk(size_gib=64, type="pd-ssd")},
            "root.type = 'pd-ssd': h4d-standard-192 does not boot from pd-ssd; use 'hyperdisk-balanced'",
        ),
        (
            {"root": RootDisk(size_gib=64, iops=3000)},
            "root.iops = 3000: iops can't be set for pd-balanced disks, whose speed depends on their size; "
            "leave it out",
        ),
        (
            {"tags": Tags("cfd", {"CostCenter": "a", "costcenter": "b"})},
            "'CostCenter' and 'costcenter' would both become the label",
        ),
    ],
)
def test_what_google_would_refuse_is_refused_here(change, message):
    with pytest.raises(ValueError, match=message):
        fleet_args(**change)
