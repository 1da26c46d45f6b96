"""Rules on keys of your own in Cloud KMS, which encrypt disks and file systems."""

from collections.abc import Iterator

from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.rules._disks import disks
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule

AGENTS = {
    "disk": "compute-system.iam.gserviceaccount.com",
    "lustre": "gcp-sa-lustre.iam.gserviceaccount.com",
    "nfs": "cloud-filer.iam.gserviceaccount.com",
}
"""The domain of Google's own account that uses a key, by what is encrypted. Source: Cloud KMS documentation, "Use
customer-managed encryption keys"; Managed Lustre and Filestore documentation, CMEK."""


@rule("HPC-KEY-007", Level.ERROR)
def key_ids(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A key is named by its id in Cloud KMS, without a version.

    Source: Cloud KMS documentation, "Cloud KMS resources", resource ids.
    """
    for path, _, key in _keys(cluster):
        whole, wrong = key.partition("/cryptoKeyVersions/")[0], wrong_id("kms_key", key)
        if wrong and not wrong_id("kms_key", whole):
            wrong = "it is one version of a key, and keys are rotated", f"use {whole}"
        if wrong:
            yield Problem(path=path, value=key, reason=wrong[0], remedy=wrong[1])


@rule("HPC-KEY-008", Level.ERROR)
def key_in_region(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A key is in the region of what it encrypts; for disks it may be in `global` too.

    Source: Compute Engine documentation, "Protect resources by using Cloud KMS keys", restrictions; Managed Lustre
    and Filestore documentation, CMEK: the region of the instance.
    """
    for path, kind, id in _keys(cluster):
        found = id_parts("kms_key", id)
        if found is None or found["region"] == cluster.region:
            continue
        if kind == "disk" and found["region"] in ("global", cluster.region.partition("-")[0]):
            continue
        yield Problem(
            path=path,
            value=id,
            reason=f"the key is in {found['region']}, and what it encrypts in {cluster.region}",
            remedy=f"name a key in {cluster.region}: gcloud kms keys list --project {found['project']} --location"
            f" {cluster.region} --keyring <key ring>",
        )


@rule("HPC-KEY-009", Level.WARNING)
def key_in_reach(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Google's services may use a key of your own.

    Each does by an account of Google's in your project, to which nothing here gives the role; without it nothing that
    is encrypted can be made. Source: Cloud KMS documentation, "Service agents and customer-managed encryption keys".
    """
    shown: set[tuple[str, str]] = set()
    for path, kind, id in _keys(cluster):
        if wrong_id("kms_key", id) or (kind, id) in shown:
            continue
        shown.add((kind, id))
        yield Problem(
            path=path,
            value=id,
            reason=f"nothing here lets Google's account service-<project number>@{AGENTS[kind]} use the key",
            remedy=f"gcloud kms keys add-iam-policy-binding {id} --role roles/cloudkms.cryptoKeyEncrypterDecrypter"
            f" --member serviceAccount:service-<project number>@{AGENTS[kind]}; then silence this",
        )


def _keys(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, str]]:
    """Every key that is named: where, for a `disk`, `lustre` or `nfs`, and its id."""
    for use in disks(cluster):
        if use.disk.kms_key is not None:
            yield (*use.path, "kms_key"), "disk", use.disk.kms_key
    for name, system in cluster.storage.items():
        if system.kms_key is not None and system.existing is None:
            yield ("storage", name, "kms_key"), system.type, system.kms_key
