"""Removes a cluster's images that are no longer kept, with their snapshots.

The input says how many versions of each recipe to keep, and which version is in use. A stack invokes this function
after a change, when nodes are launched from the new images, and with an empty input when the stack is destroyed. An
image that is the default of one of the cluster's launch templates is never removed. Removing is idempotent: what a
failed call has left is removed by the next one.
"""

import logging
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

CLUSTER, BUCKET = "CLUSTER", "CONFIG"
"""Environment variables with the values of the tags `ClusterName` and `hpc:config`."""

GONE = frozenset({"InvalidAMIID.NotFound", "InvalidAMIID.Unavailable", "InvalidSnapshot.NotFound"})

log = logging.getLogger(__name__)
log.setLevel(logging.INFO)


@dataclass(frozen=True)
class Image:
    id: str
    recipe: str
    version: str
    made: str
    """Date of creation in ISO format, which sorts by time."""
    snapshots: Sequence[str]


def handler(event: Mapping[str, Any], _: object) -> dict[str, list[str]]:
    action = event.get("tf", {}).get("action")
    if not event["keep"] and action != "delete":
        return {"removed": []}  # a destroy's invocation when it is created
    ec2 = boto3.client("ec2", config=Config(retries={"mode": "standard", "total_max_attempts": 8}))
    cluster, bucket = os.environ[CLUSTER], os.environ[BUCKET]
    images = list(images_of(ec2, cluster, bucket))
    todo = removable(images, event["keep"], in_use(ec2, cluster, bucket))
    for image in todo:
        remove(ec2, image)
    return {"removed": [image.id for image in todo]}


def removable(images: Sequence[Image], keep: Mapping[str, Any], used: Collection[str]) -> list[Image]:
    """Return the images to remove: of each recipe all but the newest versions, and of others all.

    Several images of one version count as one. The version in use and images in `used` are kept in any case.
    """
    found = []
    for recipe in sorted({image.recipe for image in images}):
        asked = keep.get(recipe) or {"versions": 0, "current": None}
        newest_first = sorted((each for each in images if each.recipe == recipe), key=lambda each: each.made)[::-1]
        versions = list(dict.fromkeys(each.version for each in newest_first))
        if asked["current"] in versions:
            versions.remove(asked["current"])
            versions.insert(0, asked["current"])
        kept = versions[: asked["versions"]]
        found += [each for each in newest_first if each.version not in kept and each.id not in used]
    return found


def images_of(ec2: Any, cluster: str, bucket: str) -> Iterator[Image]:
    filters = [*_of(cluster, bucket), {"Name": "tag-key", "Values": ["hpc:image"]}]
    for page in ec2.get_paginator("describe_images").paginate(Owners=["self"], Filters=filters):
        for each in page["Images"]:
            tags = {tag["Key"]: tag["Value"] for tag in each.get("Tags", ())}
            disks = [disk["Ebs"] for disk in each.get("BlockDeviceMappings", ()) if "Ebs" in disk]
            yield Image(
                id=each["ImageId"],
                recipe=tags["hpc:image"],
                version=tags.get("hpc:image-version", ""),
                made=each.get("CreationDate", ""),
                snapshots=[disk["SnapshotId"] for disk in disks if "SnapshotId" in disk],
            )


def in_use(ec2: Any, cluster: str, bucket: str) -> set[str]:
    """Return the ids of the images from which the cluster's launch templates launch machines."""
    named = set()
    pages = ec2.get_paginator("describe_launch_templates").paginate(Filters=_of(cluster, None))
    for template in (each for page in pages for each in page["LaunchTemplates"]):
        answer = ec2.describe_launch_template_versions(
            LaunchTemplateId=template["LaunchTemplateId"], Versions=["$Default"]
        )
        named |= {each["LaunchTemplateData"].get("ImageId", "") for each in answer["LaunchTemplateVersions"]}
    return named


def _of(cluster: str, bucket: str | None) -> list[dict[str, Any]]:
    """Return filters for what has the cluster's tags. The templates of head and login nodes have no tag with the
    bucket, so `bucket` may be None.
    """
    tags = {"ClusterName": cluster, **({"hpc:config": bucket} if bucket else {})}
    return [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()]


def remove(ec2: Any, image: Image) -> None:
    log.info("removing %s, version %s of %s", image.id, image.version, image.recipe)
    _ignoring_gone(lambda: ec2.deregister_image(ImageId=image.id))
    for snapshot in image.snapshots:
        _ignoring_gone(lambda snapshot=snapshot: ec2.delete_snapshot(SnapshotId=snapshot))


def _ignoring_gone(call: Any) -> None:
    try:
        call()
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise
