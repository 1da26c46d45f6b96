"""Names, ids, images and other values in descriptions of clusters on Google Cloud."""

import pytest
from catalog.present import held, present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import all_machines, operating_systems
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.kernels import is_newer
from hpc_components.gcp.catalog.apis import needed_apis
from hpc_components.gcp.catalog.ids import id_mistake
from hpc_components.gcp.catalog.images import (
    has_image,
    image_gib,
    image_of,
    image_reference,
    images,
    public_image,
)
from hpc_components.gcp.catalog.limits import reserved_label_beginning, service_limit
from hpc_components.gcp.catalog.names import instance_name, longest_name, wrong_admin_user, wrong_name
from hpc_components.gcp.catalog.prices import service_price
from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.lustre_client.packages import lustre_client

KINDS = (
    "resource", "template", "service_account", "project", "bucket", "secret", "custom_role", "lustre",
    "lustre_filesystem", "filestore", "file_share", "database", "budget",
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "remedy"),
    [
        ("resource", "cfd-nodes", None),
        ("resource", "Cfd_Nodes", "cfd-nodes"),
        ("resource", "9lives", "lives"),
        ("resource", "cfd-", "cfd"),
        ("resource", "c" * 64, "1 to 63"),
        ("service_account", "cfd-head", None),
        ("service_account", "cfd", "6 to 30"),
        ("project", "my-project-1", None),
        ("project", "My Project", "my-project"),
        ("project", "my-google-project", "use the project id that the console shows"),
        ("bucket", "cfd-results", None),
        ("bucket", "cfd_results", None),
        ("bucket", "goog-results", "use a name that doesn't begin with goog or contain google"),
        ("bucket", "my-g00gle-data", "use a name that doesn't begin with goog or contain google"),
        ("bucket", "data.example.org", "data-example-org"),
        ("bucket", "10.0.0.1", "not an IP address"),
        ("bucket", "Results", "results"),
        ("secret", "Cfd_munge-1", None),
        ("secret", "cfd/munge", "cfd-munge"),
        ("custom_role", "cfd_head", None),
        ("custom_role", "cfd-head", "letters, digits, _ and ."),
        ("lustre_filesystem", "scratch", None),
        ("lustre_filesystem", "scratchfs", "1 to 8"),
        ("lustre_filesystem", "my-fs", "myfs"),
        ("file_share", "home_1", None),
        ("file_share", "home-1", "small letters, digits and _"),
    ],
)
def test_a_wrong_name_has_its_remedy(kind, name, remedy):
    wrong = wrong_name(kind, name)
    assert wrong is None if remedy is None else remedy in present(wrong)[1]


@given(st.sampled_from(KINDS), st.text(min_size=1, max_size=70))
def test_a_proposed_name_is_taken(kind, name):
    wrong = wrong_name(kind, name)
    if wrong and wrong[1].startswith("use ") and ": " in wrong[1]:
        proposed = wrong[1].rpartition(": ")[2]
        again = wrong_name(kind, proposed)
        assert again is None or not again[0].startswith(f"{proposed!r} has"), (name, proposed)


def test_the_longest_name_and_that_of_an_instance():
    assert (longest_name("resource"), longest_name("service_account")) == (63, 30)
    assert instance_name("cfd", "compute-queue-12") == "cfd-compute-queue-12"


@pytest.mark.parametrize(
    ("name", "taken"), [("hpcadmin", True), ("root", False), ("ubuntu", False), ("Admin", False), ("a" * 33, False)]
)
def test_a_reserved_administrator_name_is_refused(name, taken):
    assert (wrong_admin_user(name) is None) is taken


@pytest.mark.parametrize(
    ("kind", "id", "remedy"),
    [
        ("network", "projects/my-project/global/networks/cfd", None),
        ("network", "projects/example.com:my-project/global/networks/cfd", None),
        ("network", "cfd", "write projects/<project>/global/networks/<name>"),
        (
            "network",
            "https://www.googleapis.com/compute/v1/projects/my-project/global/networks/cfd",
            "write projects/my-project/global/networks/cfd",
        ),
        ("subnet", "projects/my-project/regions/us-central1/subnetworks/nodes", None),
        ("subnet", "projects/my-project/regions/europe-west4/subnetworks/nodes", "use one in us-central1"),
        ("reservation", "projects/my-project/reservations/gpu", None),
        ("reservation", "projects/my-project/reservations/gpu/reservationBlocks/b1", None),
        (
            "reservation",
            "projects/my-project/zones/us-central1-a/reservations/gpu",
            "projects/<project>/reservations",
        ),
        ("image", "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64", None),
        ("image", "projects/my-project/global/images/hpc-20260701", None),
        ("image", "ubuntu-2404-lts-amd64", "write projects/<project>/global/images/<name>"),
        ("secret", "projects/my-project/secrets/db/versions/3", None),
        ("secret", "projects/123456/secrets/db/versions/latest", None),
        ("secret", "projects/my-project/secrets/db", "write projects/my-project/secrets/db/versions/latest"),
        ("secret", "hunter2", "never write the password itself"),
        ("key", "projects/my-project/locations/us-central1/keyRings/r/cryptoKeys/k", None),
        ("key", "projects/my-project/locations/europe/keyRings/r/cryptoKeys/k", "use one in us-central1"),
        ("service_account", "cfd-head@my-project.iam.gserviceaccount.com", None),
        ("service_account", "cfd-head", "write <name>@<project>.iam.gserviceaccount.com"),
        ("billing_account", "012345-6789AB-CDEF01", None),
        ("billing_account", "billingAccounts/012345-6789AB-CDEF01", "write 012345-6789AB-CDEF01"),
        ("zone", "us-central1-a", None),
        ("zone", "a", "write us-central1-a"),
        ("nothing", "anything", None),
    ],
)
def test_a_wrong_id_has_its_remedy(kind, id, remedy):
    mistake = id_mistake(kind, id, "us-central1")
    assert mistake is None if remedy is None else remedy in present(mistake).remedy


def test_what_may_be_a_secret_is_not_repeated():
    mistake = present(id_mistake("secret", "hunter2", "us-central1"))
    assert mistake.may_be_secret
    assert "hunter2" not in mistake.reason + mistake.remedy


def test_an_id_is_read_as_its_parts():
    subnet = "projects/my-project/regions/us-central1/subnetworks/nodes"
    assert id_parts("subnet", subnet) == {"project": "my-project", "region": "us-central1", "name": "nodes"}
    assert id_parts("network", subnet) is None
    assert wrong_id("resource_policy", "projects/p12345/regions/us-east1/resourcePolicies/x", "us-east1") is None


@pytest.mark.parametrize(
    ("os", "name", "family"),
    [
        ("ubuntu-24.04", "h3-standard-88", "ubuntu-2404-lts-amd64"),
        ("ubuntu-24.04", "c4a-standard-72", "ubuntu-2404-lts-arm64"),
        ("ubuntu-24.04", "h4d-standard-192", "ubuntu-2404-lts-amd64"),
        ("ubuntu-24.04", "a3-ultragpu-8g", "ubuntu-accelerator-2404-amd64-with-nvidia-580"),
        ("ubuntu-22.04", "g2-standard-4", "ubuntu-accelerator-2204-amd64-with-nvidia-580"),
        ("debian-12", "e2-standard-4", "debian-12"),
        ("debian-13", "t2a-standard-4", "debian-13-arm64"),
        ("debian-12", "g2-standard-4", None),
        ("rocky-8", "h4d-standard-192", "hpc-rocky-linux-8"),
    ],
)
def test_a_machine_has_its_image_family(os, name, family):
    found = image_of(os, held("gcp", name))
    assert (found.family if found else None) == family
    assert has_image(os, held("gcp", name)) == (family is not None)


def test_an_image_is_of_a_known_system_and_as_large_as_said():
    known = {system.name for system in operating_systems()}
    assert {image.os for image in images()} <= known
    assert image_gib("ubuntu-24.04") == (10, True)
    assert image_gib("ubuntu-24.04", held("gcp", "a3-ultragpu-8g")) == (20, False)
    assert image_gib("rhel-9") is None
    models = {each.accelerator.model for each in all_machines("gcp") if each.accelerator}
    assert {model for image in images() for model in image.models} == models


def test_every_public_image_is_found_by_its_id():
    for image in images():
        assert public_image(image.id) is image


@pytest.mark.parametrize(
    ("id", "family"),
    [
        ("projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260710", "ubuntu-2404-lts-amd64"),
        ("projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-arm64-v20260710", "ubuntu-2404-lts-arm64"),
        ("projects/ubuntu-os-cloud/global/images/ubuntu-2204-jammy-v20260710", "ubuntu-2204-lts"),
        ("projects/debian-cloud/global/images/debian-12-bookworm-v20260710", None),
        ("projects/my-project/global/images/ubuntu-2404-noble-amd64-v20260710", None),
        ("projects/cloud-hpc-image-public/global/images/hpc-rocky-linux-8-v20251117", "hpc-rocky-linux-8"),
    ],
)
def test_an_image_version_has_its_family(id, family):
    found = public_image(id)
    assert (found.family if found else None) == family


def test_an_image_reference_names_project_and_image():
    assert image_reference("projects/p12345/global/images/family/f") == {"project": "p12345", "family": "f"}
    assert image_reference("projects/p12345/global/images/i") == {"project": "p12345", "name": "i"}
    assert image_reference("family/f") is None


def test_an_operating_system_has_its_lustre_client():
    assert present(lustre_client("ubuntu-22.04")).repository == "lustre-client-ubuntu-jammy"
    assert lustre_client("debian-13") is None
    assert is_newer("6.17", "6.8")
    assert not is_newer("6.8", "6.8")


def test_a_cluster_needs_the_apis_of_what_it_uses():
    assert "compute.googleapis.com" in needed_apis()
    assert "lustre.googleapis.com" not in needed_apis()
    more = {*needed_apis(["lustre", "budget"])} - {*needed_apis()}
    assert more == {"lustre.googleapis.com", "servicenetworking.googleapis.com", "billingbudgets.googleapis.com"}
    assert len(needed_apis()) == len({*needed_apis()})


def test_services_have_the_limits_of_google():
    catalog = catalog_of("gcp")
    tags, logs, budget = catalog.tag_limits(), catalog.log_retention(), catalog.budget_limits()
    assert (present(tags).all, present(tags).reserved) == (64, ("goog-",))
    assert (present(logs).days[0], present(logs).days[-1]) == (1, 3650)
    assert present(budget).addresses == 5
    assert reserved_label_beginning("goog-terraform") == "goog-"
    assert reserved_label_beginning("team") is None
    with pytest.raises(KeyError):
        service_limit("nothing")


@pytest.mark.parametrize(
    "item",
    [
        "nat.hour", "load_balancer.hour", "public_address.hour", "gcs.standard",
        *(f"disk.{kind}.storage" for kind in ("pd-standard", "pd-balanced", "pd-ssd", "pd-extreme")),
        *(f"disk.hyperdisk-{kind}.storage" for kind in ("balanced", "extreme", "throughput")),
        *(f"lustre.{throughput}" for throughput in (125, 250, 500, 1000)),
        *(f"filestore.{tier}" for tier in ("basic_hdd", "basic_ssd", "zonal", "regional")),
    ],
)  # fmt: skip
def test_what_stands_around_nodes_has_a_price(item):
    found = present(service_price(item, "us-central1"))
    assert found.exact_region
    assert found.unsure == ("memory" in found.source or len(found.as_of) == 4)
    assert not present(service_price(item, "europe-west4")).exact_region


def test_a_remedy_for_a_bucket_is_not_refused_next() -> None:
    wrong = wrong_name("bucket", "My_Google_Data")
    assert wrong is not None
    assert wrong[1] == "use lower-case letters, and use a name that doesn't begin with goog or contain google"
