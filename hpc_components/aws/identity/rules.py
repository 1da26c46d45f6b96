import re
from collections.abc import Iterator

from hpc_components.aws.catalog.arns import read_arn
from hpc_components.aws.catalog.disk_keys import DISK_KEY_OPERATIONS
from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.disks.model import disks
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_images import image_place, image_users
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import password_secrets

_SPOT_ROLE = "aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"


@rule("HPC-IAM-001", Level.ERROR)
def boundary_arn(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The permissions boundary must be a policy ARN.

    Source: IAM API reference, CreateRole, PermissionsBoundary.
    """
    boundary = cluster.iam.permissions_boundary
    arn = read_arn(boundary) if boundary is not None else None
    if boundary is not None and (arn is None or arn.service != "iam" or not arn.resource.startswith("policy/")):
        name = re.sub(r"^.*/", "", boundary) or "bounds"
        yield Problem(
            path=("iam", "permissions_boundary"),
            value=boundary,
            reason=f"{boundary!r} is not a policy ARN",
            remedy=f"write it like arn:aws:iam::123456789012:policy/{name}",
        )


@rule("HPC-IAM-002", Level.ERROR)
def role_path(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`iam.role_path` must begin and end with / and have at most 512 characters.

    Source: IAM API reference, CreateRole, Path.
    """
    path, most = cluster.iam.role_path, service_limit("iam.path_length")
    if not re.fullmatch(r"/|/[\x21-\x7e]+/", path) or len(path) > most:
        proposed = "/".join(part for part in re.sub(r"[^\x21-\x7e]", "", path).split("/") if part)
        yield Problem(
            path=("iam", "role_path"),
            value=path,
            reason=f"the path has {len(path)} characters"
            if len(path) > most
            else f"{path!r} is not a valid IAM path",
            remedy=f"use at most {most} characters"
            if len(path) > most
            else f"use /{proposed}/"
            if proposed
            else "use /",
        )


@rule("HPC-IAM-003", Level.ERROR)
def key_arns(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A key must be specified by its ARN, not by an alias or id.

    AWS always returns the ARN, so with any other form, each update would replace the encrypted resource. Source: KMS
    developer guide, "Key identifiers".
    """
    for path, key in _keys(cluster):
        arn = read_arn(key)
        if arn is not None and arn.service == "kms" and re.fullmatch(r"key/[\w-]+", arn.resource):
            continue
        alias = "alias/" in key
        yield Problem(
            path=path,
            value=key,
            reason=f"{key!r} is an alias, which may later point to another key"
            if alias
            else f"{key!r} is not an ARN",
            remedy="write the key's ARN, like arn:aws:kms:"
            f"{cluster.region}:123456789012:key/01234567-89ab-cdef-0123-456789abcdef",
        )


@rule("HPC-IAM-004", Level.ERROR)
def key_region(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """KMS keys must be in the cluster's region.

    Source: KMS developer guide, "Multi-Region keys".
    """
    for path, key in _keys(cluster):
        arn = read_arn(key)
        if arn is not None and arn.service == "kms" and arn.region != cluster.region:
            yield Problem(
                path=path,
                value=key,
                reason=f"the key is in {arn.region or 'no region'}, but the cluster is in {cluster.region}",
                remedy=f"use a key in {cluster.region}",
            )


@rule("HPC-IAM-005", Level.ERROR)
def profile_names(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An instance profile must be specified by a valid name, not by ARN.

    Source: IAM API reference, CreateInstanceProfile.
    """
    places: list[tuple[Path, str | None]] = [
        (("head_node", "instance_profile"), cluster.head_node.instance_profile),
        *((("queues", i, "instance_profile"), queue.instance_profile) for i, queue in enumerate(cluster.queues)),
    ]
    if cluster.login_nodes:
        places.append((("login_nodes", "instance_profile"), cluster.login_nodes.instance_profile))
    for path, name in places:
        if name is None or re.fullmatch(r"[\w+=,.@-]{1,128}", name, re.ASCII):
            continue
        arn = read_arn(name)
        yield Problem(
            path=path,
            value=name,
            reason=f"{name!r} is {'an ARN' if arn else 'not the name of an instance profile'}",
            remedy=f"use the profile's name: {arn.resource.rpartition('/')[2]}"
            if arn
            else "use at most 128 characters: letters, digits and +=,.@-_",
        )


@rule("HPC-IAM-006", Level.ERROR)
def key_pair_names(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A key pair must be specified by name.

    Source: EC2 API reference, CreateKeyPair.
    """
    places = [(("head_node", "key_pair"), cluster.head_node.key_pair)]
    places += [(("login_nodes", "key_pair"), cluster.login_nodes.key_pair)] if cluster.login_nodes else []
    for path, name in places:
        if name is None:
            continue
        if name.startswith(("ssh-", "ecdsa-")) or "BEGIN" in name or name.endswith((".pem", ".pub")):
            reason, remedy = (
                "this is a key or a key file, not the name of a key pair",
                "import the key into EC2, and specify the name of the key pair here",
            )
        elif not 1 <= len(name) <= 255 or name != name.strip() or not name.isascii():
            reason, remedy = (
                f"{name!r} can't be the name of a key pair",
                "use at most 255 ASCII characters, without leading or trailing spaces",
            )
        else:
            continue
        yield Problem(path=path, value=None if "BEGIN" in name else name, reason=reason, remedy=remedy)


@rule("HPC-IAM-007", Level.INFO)
def keys_out_of_sight(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`iam.kms_keys` should list the customer-managed keys that encrypt images and secrets.

    A description does not show which key encrypts an image or a secret. Without permission to use that key, nodes
    terminate at launch, or the accounting daemon can't read its password. If the default key for EBS is
    customer-managed, list it too. Source: EBS user guide, "Requirements for Amazon EBS encryption"; EC2 Auto Scaling
    user guide, "Required AWS KMS key policy".
    """
    places: list[tuple[Path, str | None]] = [
        (image_place(cluster, path), cluster.base_of(node.image))
        for path, node in image_users(cluster)
        if path[0] != "head_node"
    ]
    places += password_secrets(cluster)
    unseen = [(path, named) for path, named in places if named is not None]
    if unseen and not cluster.iam.kms_keys:
        all_of_them = ", ".join(dict.fromkeys(named for _, named in unseen))
        yield Problem(
            path=unseen[0][0],
            value=all_of_them,
            places=tuple(path for path, _ in unseen),
            reason=f"the description does not show which key encrypts {all_of_them}",
            remedy="if it is a customer-managed key, list its ARN: iam: {kms_keys: [arn:aws:kms:...]}",
        )


@rule("HPC-IAM-008", Level.WARNING)
def spot_under_a_key(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """EC2's spot service must have permission to use the keys that encrypt the disks of spot machines.

    The service's role belongs to the account rather than to the stack, so the stack can't grant the permission.
    Without it, spot machines terminate at launch. Source: EC2 user guide, "Spot Instance requests", "Grant access to
    customer managed keys for use with encrypted AMIs and EBS snapshots".
    """
    spot = [index for index, queue in enumerate(cluster.queues) if queue.purchase == "spot"]
    roots = [use for use in disks(cluster) if use.path[0] == "queues" and use.path[1] in spot]
    places: list[tuple[Path, str | None]] = [((*use.path, "kms_key"), use.disk.kms_key) for use in roots]
    if spot:
        places += [(("iam", "kms_keys", i), key) for i, key in enumerate(cluster.iam.kms_keys)]
    for path, key in places:
        arn = read_arn(key) if key is not None else None
        if arn is not None:
            role = f"arn:{arn.partition}:iam::{arn.account}:role/{_SPOT_ROLE}"
            yield Problem(
                path=path,
                value=key,
                reason="spot machines terminate at launch unless EC2's spot role may use this key",
                remedy="create the grant once with the following command, then silence this rule: aws kms "
                f"create-grant --region {cluster.region} --key-id {key} --grantee-principal {role} "
                f"--operations {' '.join(DISK_KEY_OPERATIONS)}",
            )


@rule("HPC-IAM-009", Level.WARNING)
def profile_without_role(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """If a queue uses an existing instance profile, `instance_role` should specify the profile's role.

    The head node may pass a role to nodes only if the head node's own policy names that role. By default, the policy
    names a role that has the profile's name and no path, like the roles that the console creates. If the profile
    contains any other role, EC2 refuses every launch. Source: IAM user guide, "Grant a user permissions to pass a
    role to an AWS service".
    """
    for index, queue in enumerate(cluster.queues):
        if queue.instance_profile is not None and queue.instance_role is None:
            yield Problem(
                path=("queues", index, "instance_profile"),
                value=queue.instance_profile,
                reason=f"the profile's role is assumed to be role/{queue.instance_profile}, and launches fail if the "
                "profile contains any other role",
                remedy="specify the role: instance_role: arn:aws:iam::123456789012:role/...  (aws iam "
                f"get-instance-profile --instance-profile-name {queue.instance_profile} shows its ARN)",
            )


@rule("HPC-IAM-010", Level.ERROR)
def role_of_profile(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`instance_role` must be the ARN of the role in `instance_profile`.

    Source: IAM user guide, "IAM ARNs".
    """
    for index, queue in enumerate(cluster.queues):
        role, path = queue.instance_role, ("queues", index, "instance_role")
        arn = read_arn(role) if role is not None else None
        if role is not None and (arn is None or arn.service != "iam" or not arn.resource.startswith("role/")):
            name = re.sub(r"^.*/", "", role) or "node"
            yield Problem(
                path=path,
                value=role,
                reason=f"{role!r} is not a role ARN",
                remedy=f"write it like arn:aws:iam::123456789012:role/{name}",
            )
        elif role is not None and queue.instance_profile is None:
            yield Problem(
                path=path,
                value=role,
                reason="EC2 needs an instance profile that contains this role, but none is specified",
                remedy="add instance_profile: <name of the profile>, or remove instance_role",
            )


@rule("HPC-IAM-011", Level.WARNING)
def publishing_role(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """With `people`, an existing instance profile of the head node must allow it to publish files.

    The head node publishes the cluster's people in the config bucket, for all other nodes. The cluster adds no
    policies to an existing role. Source: S3 user guide, "Required permissions for Amazon S3 API operations",
    PutObject.
    """
    profile = cluster.head_node.instance_profile
    if cluster.people is not None and profile is not None:
        yield Problem(
            path=("head_node", "instance_profile"),
            value=profile,
            reason="the head node publishes the cluster's people for all other nodes, and the cluster adds no "
            "policies to an existing role",
            remedy="after the first pulumi up, allow the role s3:PutObject on "
            "arn:aws:s3:::<config bucket>/published/*, or remove instance_profile",
        )


def _keys(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str]]:
    for use in disks(cluster):
        if use.disk.kms_key is not None:
            yield (*use.path, "kms_key"), use.disk.kms_key
    for name, store in cluster.storage.items():
        if store.kms_key is not None:
            yield ("storage", name, "kms_key"), store.kms_key
    if cluster.session_manager and cluster.session_manager.kms_key is not None:
        yield ("session_manager", "kms_key"), cluster.session_manager.kms_key
    yield from ((("iam", "kms_keys", index), key) for index, key in enumerate(cluster.iam.kms_keys))
