"""Grants permissions for transfers between Managed Lustre and Cloud Storage.

The head node requests a transfer, and Google's service agent copies the data.

Source: Managed Lustre documentation, "Transfer data to or from Cloud Storage", required permissions.
"""

import re

import pulumi
import pulumi_gcp as gcp

from hpc_components.gcp.identity.roles import Grant, grant, make_role
from hpc_components.gcp.ports import Identity

TRANSFER = (
    "lustre.instances.exportData",
    "lustre.instances.importData",
    "lustre.instances.list",
    "lustre.operations.get",
)
"""Permissions to find a file system, start a transfer and monitor its progress.
Source: Managed Lustre documentation, "Access control with IAM", permissions, read 2026-11-24."""


def bucket_of(path: str, url: str) -> str:
    """Return the bucket name from a URL such as `gs://bucket/prefix`.

    Raise ValueError if the URL has another form. The message begins with `path`.
    """
    found = re.fullmatch(r"gs://([a-z0-9][a-z0-9._-]{1,220}[a-z0-9])(?:/.*)?", url)
    if found is None:
        raise ValueError(f"{path}: {url!r} is not a Cloud Storage URL; write gs://bucket or gs://bucket/prefix")
    return found[1]


def let_agent_in(
    name: str, *, project: str, reads: str | None, writes: str | None, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Let Managed Lustre's service agent read one bucket and write to another.

    All file systems in the project share this agent, so the bindings are retained when a file system is deleted.
    Otherwise, other clusters' file systems would lose access to the bucket.
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
    """Let the head node request transfers for any file system in the project.

    Managed Lustre doesn't support permissions on individual file systems.
    """
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
