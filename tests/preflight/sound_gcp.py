"""A project of Google Cloud that has everything that a description names, and the description."""

from collections.abc import Mapping
from typing import Any

from .rest_account import RestAccount

PROJECT, REGION, ZONE = "my-hpc-project", "us-central1", "us-central1-a"
COMPUTE = f"compute.googleapis.com/compute/v1/projects/{PROJECT}"
MANAGER = f"cloudresourcemanager.googleapis.com/v3/projects/{PROJECT}"
NETWORK = f"projects/{PROJECT}/global/networks/research"
SUBNET = f"projects/{PROJECT}/regions/{REGION}/subnetworks/research"
IMAGE = f"projects/{PROJECT}/global/images/hpc-node"
PUBLIC_IMAGE = "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20250115"
"""The catalogue's image for nodes that mount Lustre."""
KEY = f"projects/{PROJECT}/locations/{REGION}/keyRings/hpc/cryptoKeys/disks"
SECRET = f"projects/{PROJECT}/secrets/slurm-db/versions/latest"
ACCOUNT = f"head@{PROJECT}.iam.gserviceaccount.com"
BILLING = "012345-6789AB-CDEF01"
MACHINES = ("n2-standard-8", "h4d-standard-192", "c2-standard-60")
LIMIT = 1_000_000
REGIONAL = (
    "HDB_TOTAL_GB", "IN_USE_ADDRESSES", "N2_CPUS", "C2_CPUS", "SSD_TOTAL_GB", "RESOURCE_POLICIES", "STATIC_ADDRESSES",
    "DISKS_TOTAL_GB", "PREEMPTIBLE_CPUS",
)  # fmt: skip


def quotas(names: tuple[str, ...], **limits: tuple[int, int]) -> list[dict[str, Any]]:
    """Return quotas; `limits` has (limit, usage) of some."""
    return [
        {"metric": name, "limit": limits.get(name, (LIMIT, 0))[0], "usage": limits.get(name, (LIMIT, 0))[1]}
        for name in names
    ]


def machine_types(**elsewhere: str) -> list[Any]:
    """Return two pages of machine types, all in the zone but those in `elsewhere`, whose `_` stand for hyphens."""
    pages: list[Any] = [
        {"items": {}},
        {"items": {"zones/europe-west4-a": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}},
    ]
    for name in MACHINES:
        zone = elsewhere.get(name.replace("-", "_"), ZONE)
        pages[1]["items"].setdefault(f"zones/{zone}", {"machineTypes": []})["machineTypes"].append({"name": name})
    return pages


def reservation(**told: Any) -> Any:
    specific = {"count": "4", "inUseCount": "0", "instanceProperties": {"machineType": "c2-standard-60"}}
    record = {"name": "weeks", "status": "READY", "specificReservation": specific} | told
    return [{"items": {f"zones/{ZONE}": {"reservations": [record]}}}]


POLICIES = f"cloudresourcemanager.googleapis.com/v1/projects/{PROJECT}:getEffectiveOrgPolicy"


def effective(**policies: Any) -> Any:
    """Answer with the policies of an organization, by the part of a constraint's name after its dot."""
    usual = {"resourceLocations": {"listPolicy": {"allowedValues": ["in:us-locations"]}}} | policies

    def answer(query: Mapping[str, str], body: Any) -> Any:
        found = usual.get(body["constraint"].rpartition(".")[2], {"listPolicy": {"allValues": "ALLOW"}})
        return {"constraint": body["constraint"], **found}

    return answer


def granted(query: Mapping[str, str], body: Any, without: tuple[str, ...] = ()) -> Any:
    return {"permissions": [each for each in body["permissions"] if each not in without]}


def sound_project(gcp: RestAccount) -> str:
    """Fill the project, and return the description that names what is in it."""
    image = {"name": "hpc-node", "status": "READY", "architecture": "X86_64"}
    network = f"https://www.googleapis.com/compute/v1/{NETWORK}"
    gcp.documents = {
        MANAGER: {"projectId": PROJECT, "state": "ACTIVE"},
        f"{MANAGER}:testIamPermissions": granted,
        POLICIES: effective(),
        COMPUTE: {"name": PROJECT, "quotas": quotas(("CPUS_ALL_REGIONS", "NETWORKS"))},
        f"{COMPUTE}/regions/{REGION}": {"name": REGION, "status": "UP", "quotas": quotas(REGIONAL)},
        f"{COMPUTE}/zones/{ZONE}": {"name": ZONE, "status": "UP"},
        f"{COMPUTE}/aggregated/machineTypes": machine_types(),
        f"{COMPUTE}/aggregated/reservations": reservation(),
        f"cloudquotas.googleapis.com/v1/projects/{PROJECT}/locations/global/services/compute.googleapis.com/quotaInfos/"
        "CPUS-PER-VM-FAMILY-per-project-region": family_limits(LIMIT),
        f"compute.googleapis.com/compute/v1/{IMAGE}": image,
        f"compute.googleapis.com/compute/v1/{PUBLIC_IMAGE}": image,
        f"compute.googleapis.com/compute/v1/{NETWORK}": {"name": "research"},
        f"compute.googleapis.com/compute/v1/{SUBNET}": {"ipCidrRange": "10.120.0.0/20", "network": network},
        "storage.googleapis.com/storage/v1/b/my-hpc-data": {"location": "US-CENTRAL1", "locationType": "region"},
        f"iam.googleapis.com/v1/projects/-/serviceAccounts/{ACCOUNT}": {"email": ACCOUNT},
        f"secretmanager.googleapis.com/v1/{SECRET}": {"name": SECRET, "state": "ENABLED"},
        f"cloudkms.googleapis.com/v1/{KEY}": {"name": KEY, "primary": {"state": "ENABLED"}},
        f"cloudbilling.googleapis.com/v1/billingAccounts/{BILLING}": {"open": True},
        f"serviceusage.googleapis.com/v1/projects/{PROJECT}/services/serviceusage.googleapis.com": {
            "state": "ENABLED"
        },
    }
    return _DESCRIPTION


def family_limits(limit: int) -> Any:
    return {
        "quotaId": "CPUS-PER-VM-FAMILY-per-project-region",
        "dimensionsInfos": [
            {"details": {"value": "0"}},
            {"dimensions": {"region": REGION, "vm_family": "H4D"}, "details": {"value": str(limit)}},
            {"dimensions": {"region": REGION, "vm_family": "C4"}, "details": {"value": "24"}},
        ],
    }


_DESCRIPTION = f"""\
config:
  hpc:cluster:
    cloud: gcp
    name: h4d
    project: {PROJECT}
    region: {REGION}
    zone: {ZONE}
    billing_account: {BILLING}
    network:
      existing:
        network: {NETWORK}
        cidr: 10.120.0.0/16
        services: true
        private:
          {REGION}: {{id: {SUBNET}, cidr: 10.120.0.0/20}}
    head_node:
      machine: n2-standard-8
      service_account: {ACCOUNT}
      state: {{size: 64GiB, kms_key: {KEY}}}
    storage:
      scratch: {{type: lustre, mount: /scratch, size: 18000GiB, throughput: 500, import_from: "gs://my-hpc-data/in"}}
    buckets:
      results: {{type: gcs, name: h4d-results-of-the-institute}}
    queues:
      - {{name: mpi, machine: h4d-standard-192, max: 16, fabric: false, placement: none}}
      - name: own
        machine: c2-standard-60
        max: 4
        image: {IMAGE}
        purchase: {{reservation: projects/{PROJECT}/reservations/weeks}}
    slurm:
      accounting:
        database: {{host: db.example.org, password_secret: {SECRET}}}
    budget: {{monthly: 20000, notify: [hpc-admins@example.org]}}
"""
