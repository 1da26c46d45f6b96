"""Projects of Google Cloud with exactly one fault each: the fault is found at its key, and nothing else is."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from hpc_components.preflight.asked import Asked
from hpc_components.spec.account_rules import AccountFault as Fault

from . import sound_gcp as sound
from .conftest import ask_gcp
from .rest_account import RefusedError, RestAccount

Prepare = Callable[[RestAccount], None]

V1 = "compute.googleapis.com/compute/v1"
HERE = sound.COMPUTE
REGION, ZONE = f"{HERE}/regions/{sound.REGION}", f"{HERE}/zones/{sound.ZONE}"
BUCKET = "storage.googleapis.com/storage/v1/b/my-hpc-data"
SERVICE = f"serviceusage.googleapis.com/v1/projects/{sound.PROJECT}/services/serviceusage.googleapis.com"
FAMILY = (
    f"cloudquotas.googleapis.com/v1/projects/{sound.PROJECT}/locations/global/services/compute.googleapis.com"
    "/quotaInfos/CPUS-PER-VM-FAMILY-per-project-region"
)


def having(path: str, document: Any) -> Prepare:
    return lambda project: project.documents.update({path: document})


def setting(path: str, **values: Any) -> Prepare:
    return lambda project: project.documents.update({path: project.documents[path] | values})


def lacking(path: str) -> Prepare:
    return lambda project: project.documents.pop(path)


def refusing(path: str) -> Prepare:
    def refuse(query: Mapping[str, str], body: Any) -> Any:
        raise RefusedError(403)

    return having(path, refuse)


def _specific(**values: Any) -> Any:
    plain = {"count": "4", "instanceProperties": {"machineType": "c2-standard-60"}}
    return sound.reservation(specificReservation=plain | values)


def _allowing(*values: str) -> Any:
    return {"listPolicy": {"allowedValues": list(values)}}


AT = "network.existing"
RESERVED = "queues[1].purchase.reservation"

FAULTS: dict[str, tuple[Prepare, Fault, str, str]] = {
    "project missing": (lacking(sound.MANAGER), Fault.ACCOUNT, "error", "hpc:cluster"),
    "project being deleted": (
        setting(sound.MANAGER, state="DELETE_REQUESTED"), Fault.ACCOUNT, "error", "hpc:cluster",
    ),
    "region unknown": (lacking(REGION), Fault.PLACE, "error", "region"),
    "zone down": (setting(ZONE, status="DOWN"), Fault.PLACE, "error", "zone"),
    "machine sold elsewhere": (
        having(f"{HERE}/aggregated/machineTypes", sound.machine_types(h4d_standard_192="us-central1-b")),
        Fault.MACHINE, "error", "queues[0].machine",
    ),
    "quota of a series too low": (having(FAMILY, sound.family_limits(96)), Fault.QUOTA, "error", "queues[0].max"),
    "quota of the region too low": (
        setting(REGION, quotas=sound.quotas(sound.REGIONAL, SSD_TOTAL_GB=(10, 0))),
        Fault.QUOTA, "error", "queues[1].max",
    ),
    "quota of the region in use": (
        setting(REGION, quotas=sound.quotas(sound.REGIONAL, N2_CPUS=(16, 12))),
        Fault.QUOTA, "warning", "head_node.machine",
    ),
    "quota of the project too low": (
        setting(HERE, quotas=sound.quotas(("CPUS_ALL_REGIONS",), CPUS_ALL_REGIONS=(1000, 0))),
        Fault.QUOTA, "error", "queues[0].max",
    ),
    "service off": (setting(SERVICE, state="DISABLED"), Fault.SERVICE, "error", "hpc:cluster"),
    "permission missing": (
        having(f"{sound.MANAGER}:testIamPermissions", partial(sound.granted, without=("lustre.instances.create",))),
        Fault.RIGHTS, "error", "storage",
    ),
    "image missing": (lacking(f"{V1}/{sound.IMAGE}"), Fault.IMAGE, "error", "queues[1].image"),
    "image failed": (setting(f"{V1}/{sound.IMAGE}", status="FAILED"), Fault.IMAGE, "error", "queues[1].image"),
    "image deprecated": (
        setting(f"{V1}/{sound.IMAGE}", deprecated={"state": "DEPRECATED"}),
        Fault.IMAGE, "warning", "queues[1].image",
    ),
    "image of another architecture": (
        setting(f"{V1}/{sound.IMAGE}", architecture="ARM64"), Fault.IMAGE_FIT, "error", "queues[1].image",
    ),
    "public image gone": (lacking(f"{V1}/{sound.PUBLIC_IMAGE}"), Fault.IMAGE, "error", "head_node.machine"),
    "network missing": (lacking(f"{V1}/{sound.NETWORK}"), Fault.NETWORK, "error", f"{AT}.network"),
    "subnet missing": (
        lacking(f"{V1}/{sound.SUBNET}"), Fault.NETWORK, "error", f"{AT}.private.us-central1.id",
    ),
    "subnet with another range": (
        setting(f"{V1}/{sound.SUBNET}", ipCidrRange="10.120.0.0/24"),
        Fault.NETWORK_FIT, "error", f"{AT}.private.us-central1.id",
    ),
    "subnet of another network": (
        setting(f"{V1}/{sound.SUBNET}", network=f"https://www.googleapis.com/compute/v1/{sound.NETWORK}-2"),
        Fault.NETWORK_FIT, "error", f"{AT}.private.us-central1.id",
    ),
    "reservation missing": (
        having(f"{HERE}/aggregated/reservations", [{"items": {}}]), Fault.RESERVATION, "error", RESERVED,
    ),
    "reservation of another machine": (
        having(f"{HERE}/aggregated/reservations", _specific(instanceProperties={"machineType": "n2-standard-8"})),
        Fault.RESERVATION_FIT, "error", RESERVED,
    ),
    "reservation too small": (
        having(f"{HERE}/aggregated/reservations", _specific(count="2")), Fault.RESERVATION_FIT, "warning", RESERVED,
    ),
    "bucket missing": (lacking(BUCKET), Fault.BUCKET, "error", "storage.scratch.import_from"),
    "bucket of others": (refusing(BUCKET), Fault.BUCKET, "warning", "storage.scratch.import_from"),
    "bucket elsewhere": (
        setting(BUCKET, location="EUROPE-WEST4"), Fault.BUCKET_PLACE, "warning", "storage.scratch.import_from",
    ),
    "bucket name taken": (
        refusing("storage.googleapis.com/storage/v1/b/h4d-results-of-the-institute"),
        Fault.TAKEN, "error", "buckets.results.name",
    ),
    "service account disabled": (
        setting(f"iam.googleapis.com/v1/projects/-/serviceAccounts/{sound.ACCOUNT}", disabled=True),
        Fault.NAMED, "error", "head_node.service_account",
    ),
    "secret destroyed": (
        setting(f"secretmanager.googleapis.com/v1/{sound.SECRET}", state="DESTROYED"),
        Fault.NAMED, "error", "slurm.accounting.database.password_secret",
    ),
    "key disabled": (
        setting(f"cloudkms.googleapis.com/v1/{sound.KEY}", primary={"state": "DISABLED"}),
        Fault.NAMED, "error", "head_node.state.kms_key",
    ),
    "region forbidden by its group": (
        having(sound.POLICIES, sound.effective(resourceLocations=_allowing("in:eu-locations"))),
        Fault.POLICY, "warning", "region",
    ),
    "region forbidden": (
        having(sound.POLICIES, sound.effective(resourceLocations=_allowing("europe-west4"))),
        Fault.POLICY, "error", "region",
    ),
    "region denied": (
        having(sound.POLICIES, sound.effective(resourceLocations={"listPolicy": {"deniedValues": ["us-central1"]}})),
        Fault.POLICY, "error", "region",
    ),
    "keys forbidden": (
        having(sound.POLICIES, sound.effective(requireOsLogin={"booleanPolicy": {"enforced": True}})),
        Fault.POLICY, "error", "hpc:cluster",
    ),
    "new service accounts forbidden": (
        having(sound.POLICIES, sound.effective(disableServiceAccountCreation={"booleanPolicy": {"enforced": True}})),
        Fault.POLICY, "error", "hpc:cluster",
    ),
    "images of others forbidden": (
        having(sound.POLICIES, sound.effective(trustedImageProjects=_allowing(f"projects/{sound.PROJECT}"))),
        Fault.POLICY, "error", "head_node.machine",
    ),
    "billing account closed": (
        setting(f"cloudbilling.googleapis.com/v1/billingAccounts/{sound.BILLING}", open=False),
        Fault.NAMED, "error", "billing_account",
    ),
}  # fmt: skip

UNLISTED = "quotas of lustre"
"""No limit of Managed Lustre can be read, which is said each time."""


def test_a_sound_project_has_no_finding(gcp: RestAccount, sound_gcp: tuple[Any, Asked]) -> None:
    done = ask_gcp(gcp, sound_gcp[1])
    assert done.findings == ()
    assert [each.check for each in done.left_out] == [UNLISTED]
    assert len(done.answered) == 20


@pytest.mark.parametrize("fault", FAULTS)
def test_a_single_fault_is_found_at_its_key(gcp: RestAccount, sound_gcp: tuple[Any, Asked], fault: str) -> None:
    prepare, id, level, path = FAULTS[fault]
    prepare(gcp)
    (found, *others) = ask_gcp(gcp, sound_gcp[1]).findings
    assert {each.id for each in others} <= {id}, others  # the same fault at a second place
    assert (found.id, str(found.level), found.path) == (id, level, path)
    assert found.line is not None
    assert found.reason
    assert found.remedy
