"""Limits of Google Cloud's rules: the figures in their messages, and their thresholds."""

from typing import Any

import pytest

from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import market_of, quota_market

from .judged import HOME, PROJECT, cards, cluster, existing, problems, queue, subnet

FALCON = cards(("falcon", "10.1.0.0/20"))


def only(id: str, **changes: Any) -> Problem:
    (problem,) = problems(id, **changes)
    return problem


def one(**changes: Any) -> dict[str, Any]:
    return {"queues": [queue(**changes)]}


@pytest.mark.parametrize(
    ("machine", "distance", "most", "remedy"),
    [
        ("h3-standard-88", 1, 22, "or use max_distance: 2"),
        ("h3-standard-88", 2, 150, "or use max_distance: 3"),
        ("a3-highgpu-8g", 2, 256, "or use max_distance: 3"),
        ("h3-standard-88", 3, 1500, "MaxNodes: 1500})"),
        ("h3-standard-88", None, 1500, "MaxNodes: 1500})"),
    ],
)
def test_a_queue_is_cut_into_policies(machine: str, distance: int | None, most: int, remedy: str) -> None:
    placed = {"machine": machine, "placement": "cluster", "max_distance": distance}
    assert problems("HPC-CPP-003", **one(max=most, **placed)) == []
    found = only("HPC-CPP-003", **one(max=2 * most + 1, **placed))
    assert f"the queue spans 3 compact placement policies of {most} machines" in found.reason
    assert (f"at distance {distance}" in found.reason) is (distance is not None)
    assert found.remedy.endswith(remedy)


def test_a_default_placement_is_told_as_one() -> None:
    assert "placement: none, its default" in only("HPC-CPP-001", **one(max_distance=2)).reason
    assert "its default" not in only("HPC-CPP-001", **one(max_distance=2, placement="none")).reason


def test_placement_by_default_is_the_machine_s_fault_with_flex_start() -> None:
    flexible = one(machine="a3-highgpu-8g", purchase="flex_start")
    assert only("HPC-CPP-004", **flexible).path == ("queues", 0, "machine")
    flexible = one(machine="a3-highgpu-8g", purchase="flex_start", placement="cluster")
    assert only("HPC-CPP-004", **flexible).path == ("queues", 0, "placement")
    assert problems("HPC-CPP-004", **one(machine="h4d-standard-192", purchase="flex_start")) == []


@pytest.mark.parametrize(("run", "wrong"), [("9m59s", True), ("10m", False), ("7d", False), ("7d1s", True)])
def test_how_long_a_machine_of_flex_start_runs(run: str, wrong: bool) -> None:
    flexible = one(machine="h4d-standard-192", purchase="flex_start", max_run=run)
    assert bool(problems("HPC-CAP-021", **flexible)) is wrong


def test_jobs_without_a_limit_outlive_their_machines() -> None:
    endless = only("HPC-CAP-022", **one(machine="h4d-standard-192", purchase="flex_start"))
    assert endless.path == ("queues", 0, "purchase")
    assert endless.remedy == "use slurm: {MaxTime: 6-23:30:00}"
    limited = one(machine="h4d-standard-192", purchase="flex_start", slurm={"maxtime": "7-0"})
    assert only("HPC-CAP-022", **limited).path == ("queues", 0, "slurm", "maxtime")
    unreadable = one(machine="h4d-standard-192", purchase="flex_start", slurm={"MaxTime": "a week"})
    assert problems("HPC-CAP-022", **unreadable) == []


def test_a_reservation_s_block_is_one_of_its_project() -> None:
    block = "projects/other-project/reservations/cfd/reservationBlocks/one/reservationSubBlocks/two"
    assert (
        "whether project other-project shares the reservation"
        in only("HPC-CAP-028", **one(purchase={"reservation": block})).reason
    )
    assert problems("HPC-CAP-029", **one(purchase={"reservation": block})) == []


def test_cards_of_several_queues_share_a_subnet_in_a_zone() -> None:
    first, second = queue(machine="h4d-standard-192", max=20), queue(name="b", machine="h4d-highmem-192", max=20)
    small = {"network": {"cidr": "10.20.0.0/20"}}
    found = only("HPC-RDM-006", **small, queues=[first, second])
    assert (
        "with 10.20.0.0/20, the subnet of each additional network card has 28 addresses, "
        "but 40 machines in us-central1-a need one each"
    ) in found.reason
    assert "queue compute 20 + queue b 20" in found.reason
    apart = second | {"zones": ["us-central1-b"]}
    assert problems("HPC-RDM-006", **small, queues=[first, apart]) == []


def test_no_range_has_room_for_so_many_cards() -> None:
    many = one(machine="h4d-standard-192", max=600)
    assert only("HPC-RDM-006", **many).remedy == "lower max of compute by a total of 92"


def test_a_machine_with_ten_cards_needs_ten_networks() -> None:
    ultra = {"zone": "us-central1-b"} | one(machine="a3-ultragpu-8g", purchase="spot")
    needed = only("HPC-RDM-002", **ultra, **existing()).remedy
    assert (
        "1 plain network with a subnet and one network that has the profile us-central1-b-vpc-roce and 8 subnets"
        in needed
    )
    assert "fabric: false" not in needed, "GPUs without their cards are of no use"
    mega = {"region": "us-east4", "zone": "us-east4-a"} | one(machine="a3-megagpu-8g")
    assert "8 plain networks with a subnet each" in only("HPC-RDM-002", **mega, **existing()).remedy


def test_cards_of_the_wrong_order_are_told() -> None:
    ultra = {"zone": "us-central1-b"} | one(machine="a3-ultragpu-8g", purchase="spot")
    roce = cards(*((f"roce-{number}", f"10.3.{16 * number}.0/20") for number in range(8)))
    swapped = existing(cards={"us-central1-b": [roce, cards(("gvnic", "10.2.0.0/20"))]})
    assert (
        "the numbers of subnets per network are [8, 1], but machine a3-ultragpu-8g"
        in only("HPC-RDM-003", **ultra, **swapped).reason
    )


def test_subnets_of_one_machine_s_cards_overlap_in_a_zone_only() -> None:
    both = existing(cards={"us-central1-a": [FALCON, cards(("more", "10.1.8.0/24"))], "us-central1-b": [FALCON]})
    found = only("HPC-RDM-005", **both)
    assert found.path == ("network", "existing", "cards", "us-central1-a", 1, "subnets", 0, "cidr")


@pytest.mark.parametrize(
    ("cidr", "systems", "wider"),
    [("10.0.0.0/20", 1, None), ("10.0.0.0/20", 2, "10.0.0.0/19"), ("10.0.0.0/19", 3, None)],
)
def test_services_have_room_for_file_systems(cidr: str, systems: int, wider: str | None) -> None:
    lustre = {f"s{n}": {"type": "lustre", "mount": f"/s{n}", "size": "9000GiB"} for n in range(systems)}
    found = problems("HPC-NET-048", network={"cidr": cidr}, storage={"home": HOME} | lustre)
    assert [each.remedy for each in found] == ([f"use a /{wider[-2:]}: {wider}"] if wider else [])


def test_a_database_is_no_reason_for_a_connection() -> None:
    mounted = {"home": {"type": "nfs", "mount": "/home", "existing": {"server": "10.0.9.9", "export": "/home"}}}
    assert problems("HPC-NET-047", **existing(services=False), storage=mounted) == []


def test_rules_of_ones_own_name_whom_they_must_let_in() -> None:
    shared = existing(
        project="projects/net-host",
        firewall_rules=False,
        head=subnet("head", "10.0.16.0/27", "projects/net-host"),
    )
    login = {"login_nodes": {"machine": "n2-standard-2"}}
    remedy = only("HPC-NET-042", **shared, **login).remedy
    assert "all from 10.0.0.0/20, 10.0.16.0/27" in remedy
    assert "TCP 22 from 35.235.240.0/20;" in remedy
    assert "TCP 22 from 35.191.0.0/16 and 130.211.0.0/22 to login nodes" in remedy
    public = {"login_nodes": {"machine": "n2-standard-2", "public": True}}
    assert "209.85.152.0/22" in only("HPC-NET-042", **shared, **public).remedy
    assert problems("HPC-NET-041", **shared) == []


def test_packages_of_googles_own_hosts_need_no_nat() -> None:
    def without_nat(source: str) -> list[Problem]:
        slurm = {"version": "24.11", "package_source": source}
        return problems("HPC-NET-045", network={"cidr": "10.20.0.0/16", "nat": "none"}, slurm=slurm)

    assert without_nat("https://europe-west4-apt.pkg.dev/projects/slurm") == []
    assert without_nat("gs://packages/slurm") == []
    assert without_nat("https://evil.example.org/storage.googleapis.com") != []


def test_signed_packages_are_not_repeated() -> None:
    signed = "https://storage.googleapis.com/packages/slurm?X-Goog-Signature=0123abcd"
    found = only("HPC-PKG-003", slurm={"version": "24.11", "package_source": signed})
    assert found.value is None
    assert found.remedy == "use gs://packages/slurm"
    assert "0123abcd" not in found.reason
    named = "https://packages.storage.googleapis.com/slurm"
    assert only("HPC-PKG-003", slurm={"package_source": named}).remedy == "use gs://packages/slurm"


def test_a_private_key_is_not_repeated() -> None:
    secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----"
    found = only("HPC-SEC-010", head_node={"machine": "n2-standard-4", "ssh_key": secret})
    assert found.value is None
    assert "b3BlbnNzaC1rZXk" not in f"{found.reason} {found.remedy}"


def test_dots_are_warned_about_and_addresses_refused() -> None:
    def named(name: str) -> list[Level | None]:
        return [each.level for each in problems("HPC-GCS-001", buckets={"data": {"type": "gcs", "name": name}})]

    assert named("runs.example.org") == [Level.WARNING]
    assert named("10.0.0.1") == [None]
    assert named("a..b") == [None]
    assert named("cfd-runs") == []


def test_a_bucket_s_name_may_fill_what_there_is() -> None:
    name, key = "c" * 30, "d" * 24  # with two hyphens and seven digits: 63
    assert problems("HPC-GCS-002", name=name, buckets={key: {"type": "gcs"}}) == []
    assert "1 character too long" in only("HPC-GCS-002", name=name, buckets={f"{key}d": {"type": "gcs"}}).reason
    assert problems("HPC-GCS-002", name=name, buckets={f"{key}d": {"type": "gcs", "name": "short"}}) == []


def test_labels_of_the_cluster_are_no_one_elses() -> None:
    taken = {"hpc.queue": "x", "hpc role": "y", "hpc-role": "z"}
    assert [each.path for each in problems("HPC-TAG-010", tags=taken)] == [
        ("tags", "hpc.queue"),
        ("tags", "hpc role"),
    ]


def test_a_tag_that_is_cut_off_is_warned_about() -> None:
    assert only("HPC-TAG-011", tags={"note": "x" * 64}).level is Level.WARNING
    assert only("HPC-TAG-011", tags={"Note": "x"}).level is None


def test_keys_of_disks_may_be_of_more_regions_than_those_of_file_systems() -> None:
    def key(place: str) -> str:
        return f"{PROJECT}/locations/{place}/keyRings/hpc/cryptoKeys/k"

    for place in ("us-central1", "us", "global"):
        state = {"size": "64GiB", "kms_key": key(place)}
        assert problems("HPC-KEY-008", head_node={"machine": "n2-standard-4", "state": state}) == []
    assert only("HPC-KEY-008", storage={"home": HOME | {"kms_key": key("global")}}).path[-1] == "kms_key"


def test_one_key_for_all_disks_is_told_once() -> None:
    disk = {"size": "64GiB", "kms_key": f"{PROJECT}/locations/us-central1/keyRings/hpc/cryptoKeys/k"}
    everywhere = {"head_node": {"machine": "n2-standard-4", "root": disk, "state": disk}, **one(root=disk)}
    assert len(problems("HPC-KEY-009", **everywhere)) == 1


def test_a_disk_is_told_once_for_all_machines_of_a_queue() -> None:
    several = one(
        machine="h4d-standard-192", fallback=["h4d-highmem-192"], root={"size": "64GiB", "type": "pd-balanced"}
    )
    assert only("HPC-GDK-001", **several).remedy == "use hyperdisk-balanced"


def test_a_disk_is_judged_for_every_machine_of_a_queue() -> None:
    second = one(fallback=["c3-standard-44"], root={"size": "64GiB", "type": "pd-standard"})
    assert only("HPC-GDK-001", **second).reason == "c3-standard-44 does not boot from pd-standard"


def test_a_kernel_is_judged_where_an_image_is_named_and_once_for_each() -> None:
    newest = {"image": "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260820"}
    lustre = {"storage": {"home": HOME, "scratch": {"type": "lustre", "mount": "/scratch", "size": "9000GiB"}}}
    assert problems("HPC-GML-011", **lustre) == []
    head = {"head_node": {"machine": "n2-standard-4"} | newest}
    found = only("HPC-GML-011", **lustre, **head, **one(**newest))
    assert (found.path, found.value) == (("head_node", "image"), newest["image"])
    assert found.remedy.startswith("use projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v2025")
    assert problems("HPC-GML-011", **head) == [], "without Lustre any kernel will do"


def test_a_machine_counts_networks_once_in_a_zone() -> None:
    mega = queue(machine="a3-megagpu-8g")
    place = {"region": "us-east4", "zone": "us-east4-a"}
    assert problems("HPC-QTA-011", **place, queues=[mega, mega | {"name": "b"}]) == []


def test_the_range_of_an_existing_network_is_not_that_of_cards() -> None:
    """They are in other networks, so they are not compared with the first card's network."""
    described = cluster(**existing(cards={"us-central1-a": [FALCON]}))
    network = described.network.existing
    assert network is not None
    assert [path for path, _ in network.subnets()] == [("private", "us-central1")]


@pytest.mark.parametrize(
    ("name", "id"), [("head", "HPC-NAM-016"), ("login", "HPC-NAM-016"), ("nodes", "HPC-NAM-013")]
)
def test_no_queue_is_called_like_what_is_ours(name: str, id: str) -> None:
    assert only(id, **one(name=name)).value == name
    assert problems(id, **one(name=f"{name}s")) == []


def test_policies_have_longer_names_than_machines() -> None:
    name = {"name": "c" * 32}
    assert problems("HPC-NAM-012", **name, **one(name="q" * 25, max=99)) == []
    placed = {"machine": "h3-standard-88", "placement": "cluster"}
    assert problems("HPC-NAM-012", **name, **one(name="q" * 24, max=9, **placed)) == []
    longest = {"name": "c" * 35}
    assert problems("HPC-NAM-012", **longest, **one(name="q" * 25, max=9)) == []
    found = only("HPC-NAM-012", **longest, **one(name="q" * 25, max=9, **placed))
    assert "-a-0" in found.reason
    assert found.remedy == "shorten the queue's or cluster's name by 2"


def test_a_machine_that_stands_in_has_the_same_cards() -> None:
    mixed = one(machine="a3-megagpu-8g", fallback=["a3-highgpu-8g"])
    found = only("HPC-RDM-009", **mixed)
    assert found.path == ("queues", 0, "fallback", 0)
    assert "a3-highgpu-8g has 4 additional network cards (GVNIC), but a3-megagpu-8g has 8" in found.reason
    assert problems("HPC-RDM-009", **one(machine="h4d-standard-192", fallback=["h4d-highmem-192"])) == []


def test_a_project_may_be_named_by_its_number() -> None:
    """Google's services return such URLs, which do not show whether the bucket is the cluster's own."""
    numbered = existing(project="projects/123456789012")
    for id in ("HPC-NET-013", "HPC-NET-040", "HPC-NET-041", "HPC-NET-043"):
        assert problems(id, **numbered) == [], id
    assert problems("HPC-NET-040", **existing(head=subnet("head", "10.0.16.0/27", "projects/123456789012"))) == []
    assert problems("HPC-CAP-028", **one(purchase={"reservation": "projects/123456789012/reservations/cfd"})) == []
    secret = {"host": "10.3.0.5", "password_secret": "projects/123456789012/secrets/slurm-db/versions/latest"}
    assert problems("HPC-SLM-013", slurm={"accounting": {"database": secret}}) == []


@pytest.mark.parametrize(("name", "remedy"), [("CFD", "use cfd"), ("cfd-", "use cfd"), ("c--", "use c")])
def test_a_cluster_s_name_that_google_takes_is_proposed(name: str, remedy: str) -> None:
    assert only("HPC-NAM-011", name=name).remedy == remedy


def test_a_name_that_is_none_at_all_is_not_judged_twice() -> None:
    assert problems("HPC-NAM-011", name="2026") == []


@pytest.mark.parametrize(
    ("system", "most"),
    [
        ({"type": "nfs", "size": "1TiB"}, 55),
        ({"type": "lustre", "size": "9000GiB"}, 63),
        ({"type": "lustre", "size": "9000GiB", "export_to": "gs://runs"}, 55),
    ],
)
def test_file_systems_have_names_of_their_own_length(system: dict[str, Any], most: int) -> None:
    def said(length: int) -> list[Problem]:
        name, key = "c" * 40, "k" * (length - 41)
        return problems("HPC-NAM-014", name=name, storage={key: {"mount": "/data"} | system})

    assert said(most) == []
    assert said(most + 2)[0].remedy == "shorten the file system's or the cluster's name by 2"


def test_cards_of_other_kinds_share_no_subnet() -> None:
    small, place = {"network": {"cidr": "10.20.0.0/20"}}, {"zone": "us-central1-b"}
    falcon = queue(machine="h4d-standard-192", max=10)
    roce = queue(name="gpu", machine="a3-ultragpu-8g", purchase="spot", max=40)
    assert (
        "40 machines in us-central1-b need one each: queue gpu 40"
        in only("HPC-RDM-006", **small, **place, queues=[falcon, roce]).reason
    )
    assert problems("HPC-RDM-006", **small, **place, queues=[falcon | {"max": 28}, roce | {"max": 28}]) == []


def test_a_doubtful_purchase_only_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    flexible = one(machine="h3-standard-88", purchase="flex_start")
    assert only("HPC-CAP-023", **flexible).level is None
    monkeypatch.setattr("hpc_components.gcp.purchase.rules.purchase_doubts", lambda machine: ("flex_start",))
    assert only("HPC-CAP-023", **flexible).level is Level.WARNING


def test_the_account_of_all_machines_is_told_as_that_alone() -> None:
    google_s = {"service_account": "123456789012-compute@developer.gserviceaccount.com"}
    assert problems("HPC-IDN-008", **one(**google_s)) != []
    assert problems("HPC-IDN-009", **one(**google_s)) == []


def test_people_are_on_login_nodes_where_there_are_some() -> None:
    own = {"service_account": "hpc-head@my-hpc-project.iam.gserviceaccount.com"}
    head = {"head_node": {"machine": "n2-standard-4"} | own, "buckets": {"data": {"type": "gcs"}}}
    assert only("HPC-IDN-010", **head).path == ("head_node", "service_account")
    assert problems("HPC-IDN-010", **head, login_nodes={"machine": "n2-standard-2"}) == []
    login = only("HPC-IDN-010", **head, login_nodes={"machine": "n2-standard-2"} | own)
    assert login.path == ("login_nodes", "service_account")


def test_jobs_may_have_rights_that_are_not_known_here() -> None:
    own = {"service_account": "jobs@my-hpc-project.iam.gserviceaccount.com"}
    assert only("HPC-IDN-010", **one(**own), buckets={"data": {"type": "gcs"}}).level is Level.INFO
    assert problems("HPC-IDN-010", **one(**own), buckets={"data": {"type": "gcs", "read_from": ["login"]}}) == []


@pytest.mark.parametrize(("nodes", "policies"), [(220, 0), (221, 11)])
def test_as_many_policies_as_a_project_has(nodes: int, policies: int) -> None:
    found = problems("HPC-QTA-012", **one(machine="h3-standard-88", placement="cluster", max_distance=1, max=nodes))
    assert [each.value for each in found] == ([policies] if policies else [])


def test_an_image_of_another_project_needs_a_right() -> None:
    def remedy(project: str) -> str:
        return only("HPC-OSI-020", **one(image=f"projects/{project}/global/images/cfd-7")).remedy

    assert remedy("other-project").endswith("may use the image (roles/compute.imageUser in other-project)")
    assert "imageUser" not in remedy("my-hpc-project")


@pytest.mark.parametrize(("nodes", "found"), [(256, False), (257, True)])
def test_a_spread_policy_holds_so_many(nodes: int, found: bool) -> None:
    assert bool(problems("HPC-CPP-007", **one(placement="spread", max=nodes))) is found


@pytest.mark.parametrize(("name", "found"), [("goog-cfd", True), ("my-g00gle", True), ("ab", False), ("c_d", False)])
def test_a_cluster_has_no_name_of_google_s(name: str, found: bool) -> None:
    assert bool(problems("HPC-NAM-015", name=name)) is found
    buckets = {"data": {"type": "gcs"}}
    assert problems("HPC-GCS-002", name=name, buckets=buckets) == [], "that is the cluster's fault"


def test_flex_start_without_placement_is_not_asked_to_be_placed() -> None:
    """The remedy of HPC-CPP-004 must not trigger HPC-PLC-006."""
    loose = one(machine="a3-highgpu-8g", purchase="flex_start", placement="none")
    assert problems("HPC-CPP-004", **loose) == []
    assert problems("HPC-PLC-006", **loose) == []
    assert problems("HPC-PLC-006", **one(machine="a3-ultragpu-8g", purchase="flex_start", placement="none"))


def test_gpus_of_a_reservation_need_no_new_quota() -> None:
    own = queue(machine="a3-highgpu-8g", max=8, purchase={"reservation": "projects/my-hpc-project/reservations/a3"})
    assert problems("HPC-QTA-010", queues=[own]) == []
    mixed = only("HPC-QTA-010", queues=[own, queue(name="viz", machine="g2-standard-96", max=2)])
    assert (mixed.value, mixed.path) == (16, ("queues", 1, "max"))
    shared = {"reservation": "projects/another-project/reservations/a3"}
    assert only("HPC-QTA-010", queues=[own | {"purchase": shared}]).value == 64


def test_flex_start_counts_against_preemptible_quota() -> None:
    flexible = cluster(**one(machine="h4d-standard-192", purchase="flex_start")).queues[0]
    assert quota_market(flexible) == "spot"
    assert market_of(flexible) == "on_demand", "its price is not that of spot machines"


@pytest.mark.parametrize("machine", ["h4d-standard-192", "a3-highgpu-8g", "a3-megagpu-8g"])
def test_reservation_that_may_be_dense_says_whether_machines_end_with_it(machine: str) -> None:
    id = "projects/my-hpc-project/reservations/cfd"
    found = only("HPC-CAP-031", **one(machine=machine, purchase={"reservation": id}))
    assert "cfd --zone us-central1-a --project my-hpc-project" in found.remedy
    for bound in (True, False):
        assert problems("HPC-CAP-031", **one(machine=machine, purchase={"reservation": id, "bound": bound})) == []
    block = {"reservation": f"{id}/reservationBlocks/one"}
    assert problems("HPC-CAP-031", **one(machine=machine, purchase=block)) == []
    assert problems("HPC-CAP-031", **one(machine="a3-ultragpu-8g", purchase={"reservation": id})) == []


def test_sharing_of_a_reservation_can_be_typed() -> None:
    shared = {"reservation": "projects/other-project/reservations/cfd"}
    remedy = only("HPC-CAP-028", **one(purchase=shared)).remedy
    at = "cfd --zone us-central1-a --project other-project"
    assert f"reservations update {at} --add-share-with=my-hpc-project" in remedy
    assert "roles/compute.viewer" in remedy
