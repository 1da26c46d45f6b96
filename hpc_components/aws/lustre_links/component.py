from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.lustre_links.model import Change
from hpc_components.aws.lustre_links.offer import LinkOrder, refusals
from hpc_components.aws.tags import Tags
from hpc_components.spec.surfaces import Key, Keys, refuse_first

_ARGUMENTS: Keys = {"path": Key(("path",)), "bucket": Key(("bucket",)), "earlier": None}


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreAssociation:
    """A link between a Lustre directory and a bucket. The content of a file is loaded from the bucket when the file
    is first read.
    """

    path: str = "/"
    """Directory in the file system."""
    bucket: Input[str]
    """URL of the bucket: `s3://bucket` or `s3://bucket/prefix`. The bucket must be in the file system's region."""
    auto_import: tuple[Change, ...] = ("new", "changed", "deleted")
    """Changes in the bucket that are imported automatically."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Changes in the file system that are exported automatically. Without `deleted`, objects are never deleted from
    the bucket."""


def check_associations(args: Any, associations: Sequence[LustreAssociation]) -> None:
    """Raise ValueError for the first link that FSx would refuse. The message begins with the class name of `args`,
    the arguments that contain `associations`.
    """
    earlier: dict[str, str] = {}
    for index, each in enumerate(associations):
        order = LinkOrder(
            path=each.path, bucket=each.bucket if isinstance(each.bucket, str) else None, earlier=dict(earlier)
        )
        keys = {
            field: key and replace(key, path=("associations", index, *key.path)) for field, key in _ARGUMENTS.items()
        }
        refuse_first(args, refusals(order), keys)
        if unknown := {*each.auto_import, *each.auto_export} - {*get_args(Change)}:
            choice = ", ".join(get_args(Change))
            raise ValueError(
                f"{type(args).__name__}.associations[{index}]: {min(unknown)!r} is not a kind of change; use "
                f"any of {choice}"
            )
        earlier.setdefault(each.path, order.bucket or "another bucket")


def make_association(
    name: str,
    association: LustreAssociation,
    file_system: aws.fsx.LustreFileSystem,
    parent: pulumi.Resource,
    tags: Tags,
    *,
    retain: bool,
) -> None:
    aws.fsx.DataRepositoryAssociation(
        name,
        file_system_id=file_system.id,
        file_system_path=association.path,
        data_repository_path=association.bucket,
        # otherwise, objects already in the bucket would not be visible
        batch_import_meta_data_on_create=True,
        s3=aws.fsx.DataRepositoryAssociationS3Args(
            auto_import_policy=aws.fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(
                events=[change.upper() for change in association.auto_import]
            )
            if association.auto_import
            else None,
            auto_export_policy=aws.fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(
                events=[change.upper() for change in association.auto_export]
            )
            if association.auto_export
            else None,
        ),
        tags=tags.for_resource(name),
        # links of a retained file system stay in the cloud; other links are deleted before their file system
        opts=pulumi.ResourceOptions(parent=parent, deleted_with=file_system if retain else None),
    )
