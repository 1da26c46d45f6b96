from collections.abc import Iterator

from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.rules._disks import disks
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, value_rule

AGENTS = {
    "disk": "compute-system.iam.gserviceaccount.com",
    "lustre": "gcp-sa-lustre.iam.gserviceaccount.com",
    "nfs": "cloud-filer.iam.gserviceaccount.com",
}
"""Maps each kind of encrypted resource to the domain of the Google service agent that uses the key. Source: Cloud KMS
documentation, "Use customer-managed encryption keys"; Managed Lustre and Filestore documentation, CMEK."""


def _keys(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, str]]:
    for use in disks(cluster):
        if use.disk.kms_key is not None:
            yield (*use.path, "kms_key"), use.disk.kms_key, "disk"
    for name, system in cluster.storage.items():
        if system.kms_key is not None and system.existing is None:
            yield ("storage", name, "kms_key"), system.kms_key, system.type


def _distinct_keys(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, id, kind) for each valid key, once for each kind of resource that it encrypts."""
    first: dict[tuple[str, str], Path] = {}
    for path, id, kind in _keys(cluster):
        if not wrong_id("kms_key", id):
            first.setdefault((id, kind), path)
    return ((path, *key) for key, path in first.items())


@value_rule("HPC-KEY-007", Level.ERROR, _keys)
def key_ids(_: GcpClusterSpec, path: Path, id: str, kind: str) -> Wrong | None:
    """Specify a key by its Cloud KMS id, without a version.

    Source: Cloud KMS documentation, "Cloud KMS resources", resource ids.
    """
    whole, wrong = id.partition("/cryptoKeyVersions/")[0], wrong_id("kms_key", id)
    if wrong and not wrong_id("kms_key", whole):
        return "this id specifies a single version of the key, but keys are rotated", f"use {whole}"
    return wrong


@value_rule("HPC-KEY-008", Level.ERROR, _keys)
def key_in_region(cluster: GcpClusterSpec, path: Path, id: str, kind: str) -> Wrong | None:
    """A key must be in the same region as what it encrypts; a disk key may also be in `global` or a multi-region.

    A multi-region, such as `us`, must contain the cluster's region. Source: Compute Engine documentation, "Protect
    resources by using Cloud KMS keys", restrictions; Managed Lustre and Filestore documentation, CMEK: the region of
    the instance.
    """
    found = id_parts("kms_key", id)
    for_disks = ("global", cluster.region.partition("-")[0]) if kind == "disk" else ()
    if found is None or found["region"] in (cluster.region, *for_disks):
        return None
    return (
        f"the key is in {found['region']}, but the resource that it encrypts is in {cluster.region}",
        f"use a key in {cluster.region}; list the keys there: gcloud kms keys list --project "
        f"{found['project']} --location {cluster.region} --keyring <key ring>",
    )


@value_rule("HPC-KEY-009", Level.WARNING, _distinct_keys)
def key_in_reach(_: GcpClusterSpec, path: Path, id: str, kind: str) -> Wrong:
    """Google's service agents need permission to use your own keys.

    Each service has an agent in your project. The cluster doesn't grant the agent a role on the key, and without that
    role, resources encrypted with the key can't be created. Source: Cloud KMS documentation, "Service agents and
    customer-managed encryption keys".
    """
    agent = f"service-<project number>@{AGENTS[kind]}"
    return (
        f"the cluster doesn't grant Google's service agent {agent} permission to use the key",
        f"grant the role with: gcloud kms keys add-iam-policy-binding {id} --role "
        f"roles/cloudkms.cryptoKeyEncrypterDecrypter --member serviceAccount:{agent}; then silence this "
        "finding",
    )
