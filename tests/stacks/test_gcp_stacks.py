"""What must hold for the stacks on Google Cloud alone."""

import json
from typing import Any

import pytest
from stack_recordings import PROJECT, needed_by, parts_of, recorded, stacks_of

from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import RecordedResource, Recording, record
from hpc_components.spec.bucket_access import bucket_access, places
from hpc_components.spec.load import load_cluster

TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"
MEMBER, ROLE = "gcp:projects/iAMMember:IAMMember", "gcp:projects/iAMCustomRole:IAMCustomRole"
OBJECT = "gcp:storage/bucketObject:BucketObject"


@pytest.fixture(params=stacks_of("gcp"))
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
    return [each for each in recording.all(TEMPLATE) if not each.name.endswith("-login")]


def in_queue(recording: Recording, queue: str) -> RecordedResource:
    (found,) = [each for each in fleets_of(recording) if each.inputs["metadata"]["hpc-queue"] == queue]
    return found


def test_h3_is_placed_close_together_with_one_fast_card_and_no_threads() -> None:
    inputs = in_queue(recorded("gcp-h3"), "compute-queue").inputs
    assert inputs["machineType"] == "h3-standard-88"
    assert inputs["scheduling"]["onHostMaintenance"] == "TERMINATE"
    assert [card["nicType"] for card in inputs["networkInterfaces"]] == ["GVNIC"]
    assert "advancedMachineFeatures" not in inputs, "h3 has one thread per core, and takes no other number"
    assert in_queue(recorded("gcp-h3"), "spot").inputs["advancedMachineFeatures"] == {"threadsPerCore": 1}


def test_a_new_secret_replaces_the_manifest(stack: str) -> None:
    """By it the head node runs its steps again, and puts its keys where nodes that boot wait for them."""
    made = recorded(stack)
    manifest = made.one(OBJECT, f"{described(stack)['hpc:cluster']['name']}-config/manifest")
    secrets = {each.urn for each in made.all("Secret")}
    assert len(secrets) == 3
    assert secrets <= set(manifest.property_dependencies["source"])


def test_the_daemon_is_told_how_many_machines_a_policy_takes() -> None:
    file = recorded("gcp-h3", preview=False).one(OBJECT, "cfd-head-fleets")
    queues = json.loads(file.inputs["source"]["asset"]["text"])["queues"]
    assert queues["compute-queue"]["placement"] == {"machines": 1500, "max_distance": None}
    assert (queues["spot"]["placement"], queues["spot"]["purchase"]) == (None, "spot")
    assert [*queues["compute-queue"]["templates"]] == ["h3-standard-88/us-central1-a"]


def test_cloud_rdma_is_a_second_card_in_a_network_of_its_zone_that_nothing_guards() -> None:
    recording = recorded("gcp-h4d")
    (rdma,) = [each for each in recording.all(NETWORK) if "networkProfile" in each.inputs]
    assert rdma.inputs["networkProfile"].endswith("/global/networkProfiles/us-central1-a-vpc-falcon")
    for type in ("Firewall", "Router", "RouterNat"):
        for each in recording.all(type):
            assert rdma.urn not in each.property_dependencies.get("network", ()), each.name
    for each in fleets_of(recording):
        first, second = each.inputs["networkInterfaces"]
        assert (first["nicType"], second["nicType"]) == ("GVNIC", "IRDMA")
        assert rdma.urn in each.property_dependencies["networkInterfaces"]


def test_h4d_has_hyperdisks_only() -> None:
    for each in fleets_of(recorded("gcp-h4d")):
        assert [disk["diskType"] for disk in each.inputs["disks"]] == ["hyperdisk-balanced"]


def test_gpus_have_two_gvnics_and_eight_cards_for_rdma() -> None:
    (made,) = fleets_of(recorded("gcp-ultracluster"))
    assert [card["nicType"] for card in made.inputs["networkInterfaces"]] == ["GVNIC"] * 2 + ["MRDMA"] * 8
    assert made.inputs["scheduling"]["provisioningModel"] == "RESERVATION_BOUND"
    networks = recorded("gcp-ultracluster").all(NETWORK)
    assert len(networks) == 3, "the nodes' own, one more gVNIC's, and one for all cards of RDMA"


def test_no_node_has_a_public_address(stack: str) -> None:
    for each in recorded(stack).all(TEMPLATE):
        for card in each.inputs["networkInterfaces"]:
            assert not card.get("accessConfigs"), each.name


def test_ssh_is_not_open_to_the_world(stack: str) -> None:
    rules = recorded(stack).all("Firewall")
    assert rules
    for each in rules:
        assert "0.0.0.0/0" not in each.inputs.get("sourceRanges", ()), each.name
        named = {"sourceRanges", "sourceServiceAccounts"} & set(each.inputs)
        assert named, f"{each.name} lets in everybody"


def test_secrets_are_made_without_a_value(stack: str) -> None:
    recording = recorded(stack, preview=False)
    assert len(recording.all("gcp:secretmanager/secret:Secret")) == 3
    assert recording.all("secretVersion") == recording.all("SecretVersion") == ()
    assert recording.all("gcp:serviceaccount/key:Key") == ()


def test_bindings_are_of_one_member_and_roles_are_narrow(stack: str) -> None:
    """Nothing of Google's own on the project but writing of logs; none of ours with a wildcard; machines by name."""
    recording = recorded(stack, preview=False)
    assert not [each.type for each in recording.resources if "Binding" in each.type or "IAMPolicy" in each.type]
    own = {each.urn for each in recording.all(ROLE)}
    for each in recording.all(MEMBER):
        ours = set(each.property_dependencies.get("role", ())) & own
        assert ours or each.inputs["role"] == "roles/logging.logWriter", f"{each.name}: {each.inputs['role']}"
    for each in recording.all(ROLE):
        permissions = each.inputs["permissions"]
        assert not [name for name in permissions if "*" in name or "setIamPolicy" in name], each.name
    (launch,) = [each for each in recording.all(MEMBER) if each.name.endswith("-head-launches-nodes")]
    name = load_cluster(described(stack)["hpc:cluster"]).name
    assert launch.inputs["condition"]["expression"].count(f'startsWith("{name}-")') == 2


def test_the_head_node_acts_as_the_accounts_of_queues_and_no_others(stack: str) -> None:
    recording = recorded(stack)
    acts = [each for each in recording.all("gcp:serviceaccount/iAMMember:IAMMember") if "-head-acts-as-" in each.name]
    assert {each.inputs["role"] for each in acts} == {"roles/iam.serviceAccountUser"}
    queues = described(stack)["hpc:cluster"]["queues"]
    assert {each.name.partition("-acts-as-")[2] for each in acts} == {queue["name"] for queue in queues}


def test_a_destroy_first_deletes_what_keeps_the_nodes(stack: str) -> None:
    """The head node then finds it gone, and takes all compute nodes with it."""
    recording = recorded(stack)
    (mark,) = [each for each in recording.all(OBJECT) if each.inputs["name"] == "cluster"]
    (head,) = recording.all(parts_of(stack).head)
    machine = recording.one(parts_of(stack).machine, head.name)
    assert machine.urn in needed_by(recording, mark.urn)
    assert (mark.retain, mark.protect) == (False, False)
    before = needed_by(recording, machine.urn)
    fleets = [each for each in recording.all(OBJECT) if each.inputs["name"] == "head/fleets.json"]
    for each in (*fleets_of(recording), *fleets, *recording.all(MEMBER), *recording.all("Firewall")):
        if "-login-" not in each.name and not each.name.endswith("-writes-logs"):
            assert each.urn in before, f"a destroy would remove {each.name} before the compute nodes"


def test_apis_are_there_first_and_stay(stack: str) -> None:
    recording = recorded(stack)
    apis = recording.all("gcp:projects/service:Service")
    assert apis
    assert [each.inputs["disableOnDestroy"] for each in apis] == [False] * len(apis)
    for each in recording.resources:
        if each.custom and not each.type.startswith(("gcp:projects/service:", "pulumi:")):
            assert {api.urn for api in apis} <= needed_by(recording, each.urn), each.name


def test_templates_are_new_ones_when_they_change(stack: str) -> None:
    """Pulumi makes the new one first: the old one goes when the head node knows the new one."""
    for each in fleets_of(recorded(stack)):
        assert "name" not in each.inputs, "two can't have one name"
        assert not each.delete_before_replace


def test_a_machine_reads_in_its_metadata_what_it_must_know(stack: str) -> None:
    recording = recorded(stack)
    every = {"hpc-cluster", "hpc-role", "hpc-config", "hpc-project", "enable-oslogin", "block-project-ssh-keys"}
    by_agent = described(stack)["hpc:cluster"].get("os") == "rocky-9"  # its image has no cloud-init
    every |= {"serial-port-enable", "startup-script" if by_agent else "user-data"}
    own = {"compute": {"hpc-queue", "hpc-machine", "hpc-zone", "hpc-purchase"}, "head": {"hpc-zone"}, "login": set()}
    machines = [*recording.all(TEMPLATE), *recording.all(parts_of(stack).machine)]
    assert {each.inputs["metadata"]["hpc-role"] for each in machines} >= {"compute", "head"}
    for each in machines:
        metadata = each.inputs["metadata"]
        assert set(metadata) - {"hpc-data-account", "ssh-keys"} == every | own[metadata["hpc-role"]], each.name
        assert each.inputs["labels"]["hpc_role"] == metadata["hpc-role"]


@pytest.mark.parametrize("stack", ["gcp-h4d", "gcp-ultracluster", "gcp-university"])
def test_every_bucket_can_be_used_where_the_description_says(stack: str) -> None:
    recording = recorded(stack)
    cluster = load_cluster(described(stack)["hpc:cluster"])
    given = {each.name for each in recording.all("BucketIAMMember") if "-data-" in each.name}
    words = {"read": "reads", "write": "writes"}
    assert given == {
        f"{cluster.name}-{place}-data-{words[access]}-{name}"
        for name, bucket in cluster.buckets.items()
        for place in places(cluster)
        if (access := bucket_access(bucket, place))
    }
    assert given


def test_jobs_and_people_use_buckets_by_an_account_that_nodes_lend() -> None:
    roles = {"roles/storage.objectViewer": "reads", "roles/storage.objectUser": "writes"}
    recording = recorded("gcp-ultracluster")
    may = {
        each.name.removeprefix("ultracluster-"): roles[each.inputs["role"]]
        for each in recording.all("BucketIAMMember")
        if "-data-" in each.name
    }
    assert may == {
        "gpu-data-reads-training": "reads",
        "gpu-data-writes-checkpoints": "writes",
        "login-data-writes-training": "writes",
        "login-data-writes-checkpoints": "writes",
    }
    makes = [each for each in recording.all("gcp:serviceaccount/iAMMember:IAMMember") if "-lends-" in each.name]
    assert {each.inputs["role"] for each in makes} == {"roles/iam.serviceAccountTokenCreator"}
    assert "hpc-data-account" not in recording.one(parts_of("gcp-ultracluster").machine).inputs["metadata"]


def existing(project: str, **change: Any) -> dict[str, Any]:
    subnets = f"projects/{project}/regions/us-central1/subnetworks"
    return {
        "existing": {
            "network": f"projects/{project}/global/networks/site",
            "cidr": "10.20.0.0/16",
            "private": {"us-central1": {"id": f"{subnets}/batch", "cidr": "10.20.128.0/17"}},
            "head": {"id": f"{subnets}/head", "cidr": "10.20.0.0/24"},
            **change,
        },
        "ssh_from": ["203.0.113.0/24"],
    }


HOME = {"type": "nfs", "mount": "/home", "existing": {"server": "10.20.0.9", "export": "/home"}}


def test_a_cluster_in_a_network_that_is_there_makes_nothing_in_it_but_firewall_rules() -> None:
    made = changed("gcp-h3", network=existing("my-hpc-project"), storage={"home": HOME})
    types = {each.type.rpartition(":")[2] for each in made.resources}
    assert not types & {"Network", "Subnetwork", "RouterNat", "Router", "Connection"}
    rules = made.all("Firewall")
    assert {each.inputs["network"] for each in rules} == {"projects/my-hpc-project/global/networks/site"}
    (card,) = made.one(parts_of("gcp-h3").machine).inputs["networkInterfaces"]
    subnets = "projects/my-hpc-project/regions/us-central1/subnetworks"
    assert (card["networkIp"], card["subnetwork"]) == ("10.20.0.20", f"{subnets}/head")
    (use,) = made.all("SubnetworkIAMMember")
    assert use.inputs["subnetwork"] == f"{subnets}/batch"
    assert len(use.property_dependencies["role"]) == 1, "a role of the cluster's own"


def test_a_network_that_another_project_shares_is_left_alone() -> None:
    """It takes no role of the cluster's project, and has firewall rules of its own."""
    made = changed("gcp-h3", network=existing("campus", firewall_rules=False), storage={"home": HOME})
    assert made.all("Firewall") == ()
    (use,) = made.all("SubnetworkIAMMember")
    assert use.inputs["role"] == "roles/compute.networkUser"


def test_accounts_that_are_there_are_given_nothing() -> None:
    config = described("gcp-h3")["hpc:cluster"]
    mail = "{}@my-hpc-project.iam.gserviceaccount.com"
    made = changed(
        "gcp-h3",
        head_node={**config["head_node"], "service_account": mail.format("slurm-head")},
        queues=[{**config["queues"][0], "service_account": mail.format("batch-jobs")}, config["queues"][1]],
    )
    assert {each.name for each in made.all("gcp:serviceaccount/account:Account")} == {"cfd-spot-account"}
    given = [each.name for each in made.resources if "ember" in each.type]
    assert not [name for name in given if name.startswith(("cfd-head", "cfd-compute-queue"))]
    machine = made.one(parts_of("gcp-h3").machine)
    assert machine.inputs["serviceAccount"]["email"] == mail.format("slurm-head")


def test_a_queue_that_is_spread_has_a_policy_of_its_own() -> None:
    queue = {"name": "wide", "machine": "c2d-standard-112", "max": 4, "placement": "spread"}
    made = changed("gcp-dev", preview=False, queues=[queue])
    policy = made.one("gcp:compute/resourcePolicy:ResourcePolicy")
    assert policy.inputs["groupPlacementPolicy"] == {"availabilityDomainCount": 8}
    file = json.loads(made.one(OBJECT, "dev-head-fleets").inputs["source"]["asset"]["text"])
    assert file["queues"]["wide"]["spread"] == 8
    assert file["queues"]["wide"]["policy"]
    assert made.one(TEMPLATE).inputs["scheduling"]["onHostMaintenance"] == "TERMINATE"


def test_subnets_that_two_queues_share_are_bound_once() -> None:
    recording = recorded("gcp-h4d")
    uses = [each.name.partition("-uses-")[2] for each in recording.all("SubnetworkIAMMember")]
    assert sorted(uses) == ["nodes", "us-central1-a-irdma-1"]


AUTONAMED = ("gcp:compute/", "gcp:storage/bucket:", "gcp:lustre/", "gcp:filestore/")
"""What gets its logical name, a hyphen and seven characters of Pulumi's, unless it is given a name."""


def assert_nameable(recording: Recording) -> None:
    kinds = {"gcp:storage/bucket:": "bucket", TEMPLATE: "template"}
    for each in recording.resources:
        if not each.type.startswith(AUTONAMED) or each.type.endswith(("IAMMember", "IamMember")):
            continue
        name = each.inputs.get("name", f"{each.name}-0123abc")
        kind = next((kind for type, kind in kinds.items() if each.type.startswith(type)), "resource")
        assert wrong_name(kind, name) is None, (each.type, wrong_name(kind, name))
    for each in recording.all("gcp:serviceaccount/account:Account"):
        assert wrong_name("service_account", each.inputs["accountId"]) is None
    for each in recording.all(ROLE):
        assert wrong_name("custom_role", each.inputs["roleId"]) is None
    for each in recording.all("gcp:secretmanager/secret:Secret"):
        assert wrong_name("secret", each.inputs["secretId"]) is None


def test_no_name_is_too_long(stack: str) -> None:
    assert_nameable(recorded(stack))


def test_long_names_are_not_too_long() -> None:
    cluster = described("gcp-ultracluster")["hpc:cluster"]
    gpu = {**cluster["queues"][0], "name": "q" * 25}
    wide = {"name": "r" * 25, "machine": "c2d-standard-112", "max": 99, "placement": "spread"}
    made = changed(
        "gcp-ultracluster",
        name="c" * 30,
        queues=[gpu, wide],
        storage={key[0] * 20: value for key, value in cluster["storage"].items()},
        buckets={"b" * 14: {"type": "gcs"}},
    )
    assert_nameable(made)


def test_a_budget_is_made_with_the_quota_of_its_project() -> None:
    """The Budget API refuses people who name no project for it; no other resource is made so."""
    recording = recorded("gcp-h3")
    providers = {each.urn: each.inputs for each in recording.all("pulumi:providers:gcp")}
    with_quota = {urn for urn, inputs in providers.items() if "billingProject" in inputs}
    (billing,) = with_quota
    assert providers[billing]["billingProject"] == providers[billing]["project"] == "my-hpc-project"
    assert str(providers[billing]["userProjectOverride"]).lower() == "true"
    made = {each.type for each in recording.resources if billing in (each.provider or "")}
    assert "gcp:billing/budget:Budget" in made
    assert {type for type in made if type.startswith("gcp:")} <= {
        "gcp:billing/budget:Budget",
        "gcp:monitoring/notificationChannel:NotificationChannel",
    }
