"""Rules of the plan on Google Cloud, each with user programs that violate and satisfy it."""

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from plan_rules import found_in

Program = Callable[[], object]

BLOCKED = {"block-project-ssh-keys": "true"}
SPOT = {"provisioning_model": "SPOT", "preemptible": True, "automatic_restart": False}
OWN = {"email": "nodes@p.iam.gserviceaccount.com", "scopes": ["cloud-platform"]}


def machine(**args: Any) -> Program:
    told: dict[str, Any] = {
        "machine_type": "h4d-standard-192",
        "boot_disk": {},
        "network_interfaces": [{}],
        "metadata": BLOCKED,
        "service_account": OWN,
    }
    return lambda: gcp.compute.Instance("m", **(told | args))


def firewall(**args: Any) -> Program:
    return lambda: gcp.compute.Firewall("f", network="n", **args)


def bucket(**args: Any) -> Program:
    told = {"public_access_prevention": "enforced", "uniform_bucket_level_access": True}
    return lambda: gcp.storage.Bucket("b", location="us-central1", **(told | args))


def disk(opts: pulumi.ResourceOptions | None = None) -> Program:
    return lambda: gcp.compute.Disk("d", size=64, opts=opts)


def fleet(zones: list[str], update: str = "OPPORTUNISTIC", card: str = "IRDMA") -> Program:
    def program() -> None:
        template = gcp.compute.RegionInstanceTemplate(
            "t",
            machine_type="h4d-standard-192",
            disks=[{}],
            network_interfaces=[{"nic_type": "GVNIC"}, {"nic_type": card}],
            metadata=BLOCKED,
        )
        policy = {"type": update, "minimal_action": "REPLACE"}
        gcp.compute.RegionInstanceGroupManager(
            "g",
            base_instance_name="g",
            versions=[{"instance_template": template.id}],
            distribution_policy_zones=zones,
            update_policy=policy,
        )

    return program


GROUP = "RegionInstanceGroupManager g"


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (firewall(allows=[{"protocol": "tcp", "ports": ["22"]}], source_ranges=["0.0.0.0/0"]),
         {("HPC-PLN-001", "Firewall f: sourceRanges")}),
        (firewall(allows=[{"protocol": "tcp", "ports": ["6818"]}], source_ranges=["0.0.0.0/0"]),
         {("HPC-PLN-002", "Firewall f: sourceRanges")}),
        (lambda: gcp.projects.IAMMember("i", project="p", role="roles/editor", member="user:a@example.org"),
         {("HPC-PLN-003", "IAMMember i")}),
        (disk(), {("HPC-PLN-004", "Disk d")}),
        (machine(service_account={"scopes": ["cloud-platform"]}),
         {("HPC-PLN-016", "Instance m: serviceAccount.email")}),
        (machine(service_account=OWN | {"email": "123-compute@developer.gserviceaccount.com"}),
         {("HPC-PLN-016", "Instance m: serviceAccount.email")}),
        (machine(metadata={}), {("HPC-PLN-017", "Instance m: metadata.block-project-ssh-keys")}),
        (machine(metadata={"block-project-ssh-keys": "false"}),
         {("HPC-PLN-017", "Instance m: metadata.block-project-ssh-keys")}),
        (machine(scheduling=SPOT), {("HPC-PLN-023", "Instance m: scheduling.preemptionNoticeDuration.seconds")}),
        (machine(scheduling=SPOT | {"preemption_notice_duration": {"seconds": 0}}),
         {("HPC-PLN-023", "Instance m: scheduling.preemptionNoticeDuration.seconds")}),
        (fleet(["us-central1-a", "us-central1-b"]), {("HPC-PLN-018", f"{GROUP}: distributionPolicyZones")}),
        (fleet(["us-central1-a"], "PROACTIVE", "MRDMA"), {("HPC-PLN-019", f"{GROUP}: updatePolicy.type")}),
        (bucket(public_access_prevention="inherited"), {("HPC-PLN-020", "Bucket b: publicAccessPrevention")}),
        (bucket(uniform_bucket_level_access=False), {("HPC-PLN-020", "Bucket b: uniformBucketLevelAccess")}),
        (lambda: gcp.storage.BucketIAMMember("i", bucket="b", role="roles/storage.objectViewer", member="allUsers"),
         {("HPC-PLN-021", "BucketIAMMember i: member")}),
        (lambda: gcp.secretmanager.SecretIamBinding("i", secret_id="s", role="r", members=["allAuthenticatedUsers"]),
         {("HPC-PLN-021", "SecretIamBinding i: members")}),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_found(program: Program, found: set[tuple[str, str]]) -> None:
    assert found_in(program) == found


@pytest.mark.parametrize(
    "program",
    [
        firewall(allows=[{"protocol": "tcp", "ports": ["22"]}], source_ranges=["203.0.113.0/24"]),
        firewall(allows=[{"protocol": "tcp", "ports": ["443"]}], source_ranges=["0.0.0.0/0"]),
        lambda: gcp.storage.BucketIAMMember(
            "i", bucket="b", role="roles/storage.objectViewer", member="user:a@b.org"
        ),
        disk(pulumi.ResourceOptions(protect=True)),
        machine(),
        machine(service_account=None),
        machine(scheduling=SPOT | {"preemption_notice_duration": {"seconds": 120}}),
        machine(scheduling={"provisioning_model": "STANDARD"}),
        machine(metadata={"enable-oslogin": "TRUE"}),
        fleet(["us-central1-a"]),
        fleet(["us-central1-a", "us-central1-b"], "PROACTIVE", "GVNIC"),
        bucket(),
    ],
)
def test_what_keeps_the_rules_is_not(program: Program) -> None:
    assert found_in(program) == set()
