"""Readings of resources on Google Cloud, including those of users' own programs."""

import base64
from decimal import Decimal
from typing import Any

import pytest

from clouds.gcp.plan.made import made
from hpc_components.gcp.plan.files import texts
from hpc_components.gcp.plan.fleets import fleets_of
from hpc_components.gcp.plan.machines import Disk, GcpMachineUse, machine_uses
from hpc_components.gcp.plan.network import zones_of
from hpc_components.gcp.plan.reader import READER
from hpc_components.preview.files import USER_DATA
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import SECRET, UNKNOWN, Resource, Resources

FLEET = "hpc:gcp:CompactComputeFleet"


def uses(*resources: Resource) -> list[GcpMachineUse]:
    return list(machine_uses(Resources(resources)))


def paid(*resources: Resource) -> dict[str, tuple[int, int]]:
    """Return idle and full quantity of each item of the price list."""
    return {each.item: (each.idle, each.full) for each in READER.services(Resources(resources))}


def reserved(id: str) -> dict[str, Any]:
    named = {"key": "compute.googleapis.com/reservation-name", "values": [id]}
    return {"reservationAffinity": {"type": "SPECIFIC_RESERVATION", "specificReservation": named}}


def counted(*resources: Resource) -> dict[str, float]:
    needs: dict[str, float] = {}
    for each in READER.quotas(Resources(resources)):
        needs[each.quota.key] = needs.get(each.quota.key, 0) + each.need
    return needs


class TestMachines:
    def test_an_instance_counts_with_its_disk(self) -> None:
        disk = {"initializeParams": {"size": 100, "type": "hyperdisk-balanced", "provisionedIops": 5000}}
        own = made("compute/Instance", "tools", machineType="n2-standard-8", bootDisk=disk)
        (use,) = uses(own)
        assert (use.what, use.machines, use.purchase, use.idle, use.full, use.queue) == (
            "tools", ("n2-standard-8",), "on_demand", 1, 1, None,
        )  # fmt: skip
        assert use.disks == (Disk(type="hyperdisk-balanced", gib=100, iops=5000),)

    def test_a_machine_type_may_be_a_url(self) -> None:
        (use,) = uses(made("compute/Instance", "tools", machineType="zones/us-central1-a/machineTypes/n2-standard-8"))
        assert use.machines == ("n2-standard-8",)

    @pytest.mark.parametrize(
        ("disks", "expected"),
        [
            ([{"boot": True, "diskSizeGb": 64}], (Disk(type="pd-standard", gib=64),)),
            ([{"diskSizeGb": 375, "type": "SCRATCH", "diskType": "local-ssd"}], ()),  # in the machine's host
            ([{"diskSizeGb": UNKNOWN}, {"source": "disk"}], ()),
            (UNKNOWN, ()),
        ],
    )
    def test_disks_of_a_template_count_as_described(self, disks: Any, expected: tuple[Disk, ...]) -> None:
        template = made("compute/InstanceTemplate", "web", machineType="e2-standard-2", disks=disks)
        (use,) = uses(template, made("compute/InstanceGroupManager", "web", needs=(template,), targetSize=3))
        assert (use.machines, use.idle, use.full, use.disks) == (("e2-standard-2",), 3, 3, expected)

    def test_a_group_grows_to_what_its_autoscaler_says(self) -> None:
        group = made("compute/RegionInstanceGroupManager", "web", targetSize=9)
        policy = {"minReplicas": 2, "maxReplicas": 6}
        scaler = made("compute/RegionAutoscaler", "grow", needs=(group,), autoscalingPolicy=policy)
        assert [(each.idle, each.full) for each in uses(group, scaler)] == [(2, 6)]
        assert [(each.idle, each.full) for each in uses(group)] == [(9, 9)]

    @pytest.mark.parametrize(
        ("inputs", "purchase"),
        [
            ({"scheduling": {"provisioningModel": "SPOT"}}, "spot"),
            ({"scheduling": {"preemptible": True}}, "spot"),
            ({"scheduling": {"provisioningModel": "FLEX_START"}}, "flex_start"),
            ({"scheduling": {"provisioningModel": "RESERVATION_BOUND"}}, "reservation"),
            ({"reservationAffinity": {"type": "SPECIFIC_RESERVATION"}}, "reservation"),
            ({"reservationAffinity": {"type": "ANY_RESERVATION"}}, "on_demand"),
            ({"scheduling": UNKNOWN}, "on_demand"),
        ],
    )
    def test_an_instance_has_its_way_of_purchase(self, inputs: dict[str, Any], purchase: str) -> None:
        assert uses(made("compute/Instance", "tools", **inputs))[0].purchase == purchase

    @pytest.mark.parametrize(
        ("inputs", "needed"),
        [
            ({"scheduling": {"provisioningModel": "FLEX_START"}}, {"PREEMPTIBLE_CPUS": 192}),
            ({"scheduling": {"provisioningModel": "SPOT"}}, {"PREEMPTIBLE_CPUS": 192}),
            ({}, {"CPUS_PER_VM_FAMILY vm_family=H4D": 192, "CPUS_ALL_REGIONS": 192}),
            (reserved("projects/own/reservations/cfd"), {}),
            (reserved("cfd"), {}),
            (
                reserved("projects/another/reservations/cfd"),
                {"CPUS_PER_VM_FAMILY vm_family=H4D": 192, "CPUS_ALL_REGIONS": 192},
            ),
        ],
    )
    def test_the_quota_depends_on_the_purchase(self, inputs: dict[str, Any], needed: dict[str, int]) -> None:
        tools = made("compute/Instance", "tools", machineType="h4d-standard-192", project="own", **inputs)
        assert {key: need for key, need in counted(tools).items() if "CPUS" in key} == needed


class TestFleets:
    def test_what_the_component_does_not_say_its_templates_do(self) -> None:
        fleet = made(FLEET, "batch", machines=["n2-standard-8"])
        spot = {"scheduling": {"provisioningModel": "SPOT"}, "resourcePolicies": UNKNOWN}
        template = made("compute/RegionInstanceTemplate", "batch-a", below=fleet, **spot)
        (found,) = fleets_of(Resources([fleet, template]))
        assert (found.fleet.queue, found.fleet.purchase, found.fleet.placement) == (
            "batch",
            "spot",
            "placement policy",
        )

    @pytest.mark.parametrize(
        ("placement", "words"),
        [
            ("cluster", "compact placement policy"),
            ("spread", "spread placement policy"),
            ("none", None),
            (None, None),
        ],
    )
    def test_a_fleet_has_its_placement_in_words(self, placement: str | None, words: str | None) -> None:
        (found,) = fleets_of(Resources([made(FLEET, "batch", placement=placement)]))
        assert found.fleet.placement == words


class TestPaid:
    @pytest.mark.parametrize(
        ("disk", "items"),
        [
            ({"type": "pd-balanced", "size": 100}, {"disk.pd-balanced.storage": (100, 100)}),
            ({"size": 10}, {"disk.pd-standard.storage": (10, 10)}),
            # 3000 iops and 140 MiB/s are included
            ({"type": "hyperdisk-balanced", "size": 50, "provisionedIops": 3000, "provisionedThroughput": 140},
             {"disk.hyperdisk-balanced.storage": (50, 50)}),
            ({"type": "hyperdisk-balanced", "size": 50, "provisionedIops": 5000, "provisionedThroughput": 240},
             {"disk.hyperdisk-balanced.storage": (50, 50), "disk.hyperdisk-balanced.iops": (2000, 2000),
              "disk.hyperdisk-balanced.throughput": (100, 100)}),
            ({"type": "hyperdisk-extreme", "size": 64, "provisionedIops": 4000},
             {"disk.hyperdisk-extreme.storage": (64, 64), "disk.hyperdisk-extreme.iops": (4000, 4000)}),
        ],
    )  # fmt: skip
    def test_a_disk_is_paid_by_its_items(self, disk: dict[str, Any], items: dict[str, tuple[int, int]]) -> None:
        assert paid(made("compute/Disk", "state", **disk)) == items

    def test_file_systems_are_paid_by_their_capacity(self) -> None:
        lustre = made("lustre/Instance", "scratch", capacityGib="9000", perUnitStorageThroughput="1000")
        home = made("filestore/Instance", "home", tier="BASIC_HDD", fileShares={"capacityGb": 1024})
        assert paid(lustre, home) == {"lustre.1000": (9000, 9000), "filestore.basic_hdd": (1024, 1024)}

    def test_a_gateway_costs_by_the_machines_behind_it_up_to_32(self) -> None:
        nat = made("compute/RouterNat", "out")
        fleet = made(FLEET, "batch", min=1, max=500, machines=["n2-standard-8"])
        assert paid(nat, fleet)["nat.hour"] == (1, 32)
        assert paid(nat)["nat.hour"] == (0, 0)

    def test_public_addresses_are_paid_by_the_hour(self) -> None:
        assert paid(made("compute/Address", "a")) == {"public_address.hour": (1, 1)}
        assert paid(made("compute/Address", "a", addressType="INTERNAL")) == {}
        for config, expected in (({}, {"public_address.hour": (1, 1)}), ({"natIp": UNKNOWN}, {})):
            cards = [{"accessConfigs": [config]}]
            assert paid(made("compute/Instance", "i", networkInterfaces=cards)) == expected
        assert "public_address.hour" not in paid(made("compute/RouterNat", "n", natIpAllocateOption="MANUAL_ONLY"))

    @pytest.mark.parametrize(("rules", "quantity"), [(1, 1), (5, 1), (6, 2)])
    def test_forwarding_rules_are_paid_by_the_five(self, rules: int, quantity: int) -> None:
        made_rules = (made("compute/ForwardingRule", f"r{number}") for number in range(rules))
        assert paid(*made_rules) == {"load_balancer.hour": (quantity, quantity)}

    def test_only_monthly_budgets_in_dollars_count(self) -> None:
        def budget(
            name: str, period: str | None = None, currency: str | None = None, units: str = "5000"
        ) -> Resource:
            amount = {"specifiedAmount": {"units": units, "currencyCode": currency}}
            return made("billing/Budget", name, amount=amount, budgetFilter={"calendarPeriod": period})

        budgets = (
            budget("a"), budget("b", "QUARTER"), budget("c", currency="EUR"), budget("d", "MONTH", "USD", "700"),
            budget("e", units=UNKNOWN),
        )  # fmt: skip
        assert list(READER.budgets(Resources(budgets))) == [Decimal(5000), Decimal(700)]


class TestQuotas:
    def test_older_series_have_their_own_metric_and_newer_ones_a_dimension(self) -> None:
        assert counted(made("compute/Instance", "i", machineType="n2-standard-8"))["N2_CPUS"] == 8
        fleet = made(FLEET, "q", max=16, machines=["h4d-standard-192"])
        needs = counted(fleet)
        assert needs["CPUS_PER_VM_FAMILY vm_family=H4D"] == needs["CPUS_ALL_REGIONS"] == 16 * 192

    def test_gpus_count_as_gpus_and_their_cpus_for_the_project(self) -> None:
        needs = counted(made(FLEET, "q", max=4, machines=["a2-highgpu-8g"]))
        assert (needs["NVIDIA_A100_GPUS"], needs["GPUS_ALL_REGIONS"], needs["CPUS_ALL_REGIONS"]) == (32, 32, 384)

    def test_spot_counts_for_itself(self) -> None:
        needs = counted(made(FLEET, "q", max=4, machines=["c3-standard-176"], purchase="spot"))
        assert needs == {"PREEMPTIBLE_CPUS": 4 * 176}

    def test_of_machines_that_stand_in_for_one_another_the_largest_counts(self) -> None:
        needs = counted(made(FLEET, "q", max=4, machines=["c3-standard-176", "c3d-standard-360"], purchase="spot"))
        assert needs == {"PREEMPTIBLE_CPUS": 4 * 360}

    def test_compact_queues_need_policies(self) -> None:
        assert (
            counted(made(FLEET, "q", max=16, machines=["h3-standard-88"], placement="cluster"))["resource_policies"]
            == 1
        )
        large = made(FLEET, "q", max=1501, machines=["h3-standard-88"], placement="cluster")
        assert counted(large)["resource_policies"] == 2
        assert "resource_policies" not in counted(made(FLEET, "q", max=16, machines=["h3-standard-88"]))

    def test_disks_of_machines_count_too(self) -> None:
        fleet = made(FLEET, "q", max=10, machines=["n2-standard-8"])
        disks = [{"diskType": "pd-balanced", "diskSizeGb": 64}, {"diskType": "pd-ssd", "diskSizeGb": 36}]
        template = made("compute/RegionInstanceTemplate", "q-a", below=fleet, disks=disks)
        assert counted(fleet, template)["pd_ssd"] == 1000


class TestPicture:
    def standing(self, *resources: Resource) -> list[Card]:
        return [each.card for each in READER.standing(Resources(resources))]

    def test_services_in_a_users_network_have_cards(self) -> None:
        template = made("compute/InstanceTemplate", "web", machineType="e2-standard-2")
        assert self.standing(
            made("compute/RouterNat", "out"),
            made("compute/ForwardingRule", "front", loadBalancingScheme="INTERNAL"),
            made("compute/ForwardingRule", "public"),
            made("compute/Instance", "later", machineType=UNKNOWN),
            template,
            made("compute/InstanceGroupManager", "web", needs=(template,), targetSize=3),
        ) == [
            Card(kind="nat", title="Cloud NAT", lines=("outbound access for the subnets",)),
            Card(kind="balancer", title="Load balancer", lines=("inside the network",)),
            Card(kind="balancer", title="Load balancer", lines=("open to the internet",)),
            Card(kind="server", title="later", lines=("instance",)),
            Card(kind="login", title="web", lines=("3 × e2-standard-2",)),
        ]

    def test_networks_of_further_cards_are_not_drawn(self) -> None:
        plain, rdma = made("compute/Network", "n"), made("compute/Network", "r", networkProfile="p")
        subnets = [
            made("compute/Subnetwork", "a", needs=(plain,), ipCidrRange="10.0.0.0/20"),
            made("compute/Subnetwork", "b", needs=(rdma,), ipCidrRange="10.1.0.0/20"),
        ]
        found = READER.network(Resources([plain, rdma, *subnets]))
        assert [each.cidr for each in found.subnets] == ["10.0.0.0/20"]
        assert READER.network(Resources([])).title == "existing VPC network"

    def test_a_resource_has_the_zones_it_names(self) -> None:
        assert zones_of(made("compute/Instance", "i", zone="us-central1-a")) == ("us-central1-a",)
        assert zones_of(made("filestore/Instance", "f", location="us-central1")) == ()
        assert zones_of(made("filestore/Instance", "f", location="us-central1-b")) == ("us-central1-b",)
        zones = ["us-central1-a", "us-central1-b"]
        assert zones_of(made("compute/RegionInstanceGroupManager", "g", distributionPolicyZones=zones)) == tuple(
            zones
        )

    def test_lustre_is_linked_to_the_buckets_that_its_agent_may_use(self) -> None:
        component = made("hpc:gcp:LustreFilesystem", "scratch", mount="/scratch")
        own = made("storage/Bucket", "data", name="my-data")
        lustre = made("lustre/Instance", "scratch", below=component, capacityGib="9000", location="us-central1-a")
        grants = (
            made("storage/BucketIAMMember", "own", below=component, needs=(own,), bucket=UNKNOWN),
            made("storage/BucketIAMMember", "theirs", below=component, bucket="public-data"),
        )
        (found,) = READER.file_systems(Resources([component, own, lustre, *grants]))
        assert (found.card.title, found.card.links, found.zones) == (
            "/scratch", ("my-data", "public-data"), ("us-central1-a",),
        )  # fmt: skip
        cards = list(READER.service_cards(Resources([own]), found.card.links))
        assert [each.title for each in cards] == ["my-data", "public-data"]

    @pytest.mark.parametrize(
        ("rule", "sources"),
        [
            ({}, ["198.51.100.0/24"]),
            ({"allows": [{"protocol": "tcp", "ports": ["443"]}]}, []),
            ({"direction": "EGRESS"}, []),
            ({"disabled": True}, []),
            ({"sourceRanges": ["35.235.240.0/20", "130.211.0.0/22"]}, []),  # IAP, health checks
            ({"sourceRanges": ["10.0.0.0/24", "10.9.0.0/16"]}, ["10.9.0.0/16"]),
            ({"sourceRanges": UNKNOWN, "sourceServiceAccounts": ["a"]}, []),
            ({"sourceRanges": None}, ["0.0.0.0/0"]),
        ],
    )
    def test_sources_that_reach_port_22_are_found(self, rule: dict[str, Any], sources: list[str]) -> None:
        whole = {"allows": [{"protocol": "tcp", "ports": ["22"]}], "sourceRanges": ["198.51.100.0/24"]}
        subnet = made("compute/Subnetwork", "s", ipCidrRange="10.0.0.0/20")
        assert list(READER.ssh_sources(Resources([made("compute/Firewall", "f", **whole | rule), subnet]))) == sources


class TestFiles:
    def test_texts_of_objects_are_read_unless_secret(self) -> None:
        asset = {"asset": {"text": "hello"}}
        assert list(texts(made("storage/BucketObject", "o", source=asset, name="head/x"))) == [("head/x", "hello")]
        assert list(texts(made("storage/BucketObject", "o", content="hello"))) == [("o", "hello")]
        assert list(texts(made("storage/BucketObject", "o", content=SECRET))) == []

    def test_scripts_run_at_boot_are_read(self) -> None:
        script = "#!/bin/sh\n"
        encoded = base64.b64encode(script.encode()).decode()
        for inputs in (
            {"metadata": {"user-data": script}}, {"metadata": {"startup-script": script}},
            {"metadataStartupScript": script}, {"metadata": {"user-data": encoded}},
        ):  # fmt: skip
            assert list(texts(made("compute/Instance", "i", **inputs))) == [(USER_DATA, script)]
        assert list(texts(made("compute/Instance", "i", metadata={"user-data": UNKNOWN}))) == []
