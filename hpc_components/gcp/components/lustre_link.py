"""What may copy files between Managed Lustre and buckets: Google's own agent the files, the head node the order.

Source: Managed Lustre documentation, "Transfer data to or from Cloud Storage", required permissions.
"""

import re

import pulumi
import pulumi_gcp as gcp

from hpc_components.gcp.components.roles import Grant, grant, make_role
from hpc_components.gcp.ports import Identity

TRANSFER = (
    "lustre.instances.exportData",
    "lustre.instances.importData",
    "lustre.instances.list",
    "lustre.operations.get",
)
"""Find a file system in the list, begin a transfer, and see how far it is.
Source: Managed Lustre documentation, "Access control with IAM", permissions, read 2026-11-24."""


def bucket_of(path: str, url: str) -> str:
    """The bucket of `gs://bucket[/prefix]`; ValueError names `path` where that is none."""
    found = re.fullmatch(r"gs://([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:/.*)?", url)
    if found is None:
        raise ValueError(f"{path}: {url!r} is no address in Cloud Storage; write gs://bucket or gs://bucket/prefix")
    return found[1]


def let_agent_in(
    name: str, *, project: str, reads: str | None, writes: str | None, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Let the project's agent of Managed Lustre read one bucket, and write another.

    It is the same for all file systems of the project: without these bindings none can copy from or to the bucket. So
    they outlive the file system, with which those of other clusters would lose the bucket too.
    """
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(retain_on_delete=True))
    agent = gcp.projects.ServiceIdentity(f"{name}-agent", project=project, service="lustre.googleapis.com", opts=opts)
    roles = {"writes": ("roles/storage.objectUser", writes), "reads": ("roles/storage.objectViewer", reads)}
    return [
        gcp.storage.BucketIAMMember(f"{name}-agent-{key}", bucket=bucket, role=role, member=agent.member, opts=opts)
        for key, (role, bucket) in roles.items()
        if bucket is not None and not (key == "reads" and reads == writes)
    ]


def ask_permissions(name: str, identity: Identity, *, project: str, opts: pulumi.ResourceOptions) -> None:
    """Let the head node ask for transfers. Managed Lustre has no permissions on a single file system."""
    if not identity.is_ours:
        return
    role = make_role(
        f"{name}-transfer",
        project=project,
        title=f"HPC: transfers of {name}",
        description="Copies files between Managed Lustre and Cloud Storage",
        permissions=TRANSFER,
        opts=opts,
    )
    grant(name, identity, [Grant(name="transfers", role=role, on="project", resource=project)], opts)
