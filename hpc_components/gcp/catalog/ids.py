"""How Google Cloud writes the ids that descriptions name, decided in one place."""

import re
from dataclasses import dataclass

from hpc_components.catalog.mistake import Mistake

__all__ = [
    "KmsKey", "NetworkId", "ReservationRef", "SecretRef", "SubnetId", "id_mistake", "kms_key", "network_id",
    "reservation_ref", "secret_ref", "service_account_project", "subnet_id", "wrong_kms_key", "wrong_project",
    "wrong_service_account",
]  # fmt: skip

_PROJECT = r"(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]"
"""Source: Resource Manager documentation, "Creating and managing projects"; with a domain for old projects."""

_NAME = r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?"
"""Source: Compute Engine documentation, "Naming resources"."""

_HOSTS = r"(?:https://(?:www|compute)\.googleapis\.com/compute/(?:v1|beta)/|//compute\.googleapis\.com/)"

_OF_KIND = {
    "image": ("an image", rf"projects/{_PROJECT}/global/images/(?:family/)?{_NAME}"),
    "network": ("a network", rf"projects/(?P<project>{_PROJECT})/global/networks/(?P<name>{_NAME})"),
    "subnet": (
        "a subnet",
        rf"projects/(?P<project>{_PROJECT})/regions/(?P<region>[a-z]+-[a-z]+\d+)/subnetworks/(?P<name>{_NAME})",
    ),
    "reservation": (
        "a reservation",
        rf"projects/(?P<project>{_PROJECT})/reservations/(?P<name>{_NAME})"
        rf"(?:/reservationBlocks/{_NAME}(?:/reservationSubBlocks/{_NAME})?)?",
    ),
}

_EXAMPLES = {
    "image": "projects/<project>/global/images/<name>, or .../global/images/family/<name>",
    "network": "projects/<project>/global/networks/<name>",
    "subnet": "projects/<project>/regions/{region}/subnetworks/<name>",
    "reservation": "projects/<project>/reservations/<name>",
}


@dataclass(frozen=True, slots=True)
class NetworkId:
    """The parts of a network's id."""

    project: str
    name: str


@dataclass(frozen=True, slots=True)
class SubnetId:
    """The parts of a subnet's id."""

    project: str
    region: str
    name: str


@dataclass(frozen=True, slots=True)
class ReservationRef:
    """The parts of a reservation's id; a block of it counts as the whole."""

    project: str
    name: str


@dataclass(frozen=True, slots=True)
class SecretRef:
    """The parts of a secret version's id."""

    project: str
    name: str
    version: str
    """A number, or `latest`."""


@dataclass(frozen=True, slots=True)
class KmsKey:
    """The parts of a key's id in Cloud KMS."""

    project: str
    location: str
    ring: str
    name: str


def id_mistake(kind: str, id: str, region: str) -> Mistake | None:
    """See `CloudCatalog.id_mistake`."""
    if kind in _OF_KIND:
        return _compute_mistake(kind, id, region)
    if kind == "secret" and secret_ref(id) is None:
        remedy = "write projects/<project>/secrets/<name>/versions/latest, never the password itself"
        return Mistake("this is no secret of Secret Manager", remedy, may_be_secret=True)
    if kind == "zone" and re.fullmatch(r"[a-z]", id):
        return Mistake(f"{id!r} is only a zone's letter", f"write {region}-{id}")
    if kind == "zone" and id == region:
        return Mistake(f"{id!r} is the region, not a zone of it", f"write a zone of it: {region}-a")
    return None


def network_id(id: str) -> NetworkId | None:
    """The parts of `projects/<project>/global/networks/<name>`; None if it is written otherwise."""
    found = re.fullmatch(_OF_KIND["network"][1], id)
    return NetworkId(found["project"], found["name"]) if found else None


def subnet_id(id: str) -> SubnetId | None:
    """The parts of `projects/<project>/regions/<region>/subnetworks/<name>`; None if it is written otherwise."""
    found = re.fullmatch(_OF_KIND["subnet"][1], id)
    return SubnetId(found["project"], found["region"], found["name"]) if found else None


def reservation_ref(id: str) -> ReservationRef | None:
    """The parts of `projects/<project>/reservations/<name>`, also with blocks; None if it is written otherwise.

    Source: slurm-gcp, nodeset, reservation_name; Compute Engine documentation, "Consume reserved blocks".
    """
    found = re.fullmatch(_OF_KIND["reservation"][1], id)
    return ReservationRef(found["project"], found["name"]) if found else None


def secret_ref(id: str) -> SecretRef | None:
    """The parts of `projects/<project>/secrets/<name>/versions/<version>`; None if it is written otherwise.

    Source: Secret Manager API reference, projects.secrets.versions; a project may be its number here.
    """
    found = re.fullmatch(rf"projects/({_PROJECT}|\d+)/secrets/([A-Za-z0-9_-]{{1,255}})/versions/(latest|[1-9]\d*)", id)
    return SecretRef(*found.groups()) if found else None


def kms_key(id: str) -> KmsKey | None:
    """The parts of `projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<name>`; None otherwise.

    Source: Cloud KMS documentation, "Cloud KMS resources", resource ids.
    """
    part = r"([A-Za-z0-9_-]{1,63})"
    found = re.fullmatch(rf"projects/({_PROJECT})/locations/([a-z0-9-]+)/keyRings/{part}/cryptoKeys/{part}", id)
    return KmsKey(*found.groups()) if found else None


def wrong_kms_key(id: str) -> tuple[str, str] | None:
    """Reason and remedy where an id is not that of a key."""
    if kms_key(id):
        return None
    whole = re.match(r"(.*/cryptoKeys/[A-Za-z0-9_-]+)/cryptoKeyVersions/", id)
    if whole and kms_key(whole[1]):
        return "it is one version of a key, and keys are rotated", f"use {whole[1]}"
    remedy = "write projects/<project>/locations/<region>/keyRings/<key ring>/cryptoKeys/<name>"
    return f"{id!r} is no id of a key in Cloud KMS", remedy


def wrong_project(id: str) -> tuple[str, str] | None:
    """Reason and remedy where an id is not that of a project.

    Source: Resource Manager documentation, "Creating and managing projects": 6 to 30 small letters, digits and
    hyphens, a letter first, no hyphen at the end.
    """
    if re.fullmatch(_PROJECT, id):
        return None
    if id.isdigit():
        return (
            f"{id} is a project's number",
            f"write its id: gcloud projects describe {id} --format 'value(projectId)'",
        )
    small = re.sub(r"[^a-z0-9]+", "-", id.removeprefix("projects/").lower()).strip("-")
    like = f", perhaps {small}" if re.fullmatch(_PROJECT, small) else ""
    return (
        f"{id!r} is no id of a project: it has 6 to 30 small letters, digits and hyphens, a letter first",
        f"write what this shows{like}: gcloud projects list",
    )


def wrong_service_account(email: str) -> tuple[str, str] | None:
    """Reason and remedy where a text is no email of a service account.

    Source: IAM documentation, "Service accounts overview"; accounts that Google makes have other domains.
    """
    if service_account_project(email) or re.fullmatch(r"\d+-compute@developer\.gserviceaccount\.com", email):
        return None
    if found := re.fullmatch(r"projects/[^/]+/serviceAccounts/([^/@]+@[^/@]+)", email.removeprefix("serviceAccount:")):
        return f"{email!r} is the account's full name", f"use {found[1]}"
    if email.startswith("serviceAccount:"):
        return f"{email!r} is how IAM names a member", f"use {email.removeprefix('serviceAccount:')}"
    if re.fullmatch(r"[a-z][a-z0-9-]{4,28}[a-z0-9]", email):
        return f"{email!r} is an account's id alone", f"use {email}@<project>.iam.gserviceaccount.com"
    return f"{email!r} is no email of a service account", "write <name>@<project>.iam.gserviceaccount.com"


def service_account_project(email: str) -> str | None:
    """The project in a service account's email; None where there is none in it."""
    found = re.fullmatch(
        r"[a-z0-9][a-z0-9-]{4,28}[a-z0-9]@([a-z0-9.-]+)\.iam\.gserviceaccount\.com", email
    )
    if found is None:
        return None
    name, _, domain = found[1].partition(".")
    return f"{domain}:{name}" if domain else name


def _compute_mistake(kind: str, id: str, region: str) -> Mistake | None:
    title, form = _OF_KIND[kind]
    if re.fullmatch(form, id):
        return None
    example = _EXAMPLES[kind].format(region=region)
    bare = re.sub(f"^{_HOSTS}", "", id).strip("/")
    if kind == "reservation":
        bare = re.sub(r"/zones/[^/]+/", "/", bare)
    if kind == "image" and (family := re.fullmatch(rf"(projects/{_PROJECT})/global/family/({_NAME})", bare)):
        bare = f"{family[1]}/global/images/family/{family[2]}"
    if kind == "image" and (short := re.fullmatch(rf"({_PROJECT})/({_NAME})", bare)):
        bare = f"projects/{short[1]}/global/images/family/{short[2]}"
    if re.fullmatch(form, bare):
        return Mistake(f"{id!r} is not how {title} is named here", f"use {bare}")
    return Mistake(f"{id!r} is no id of {title}", f"write {example}")
