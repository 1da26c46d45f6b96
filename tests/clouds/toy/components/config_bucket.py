"""The bucket with a cluster's configuration, from which nodes fetch what they are."""

from collections.abc import Mapping

import pulumi
import pulumi_gcp as gcp

from clouds.toy.tags import Tags
from hpc_components.boot.manifest import MANIFEST, manifest


class ConfigBucket(pulumi.ComponentResource):
    """One object a file, and last the list of all."""

    bucket: pulumi.Output[str]
    """Its name."""

    def __init__(
        self, name: str, *, files: Mapping[str, str], region: str, tags: Tags, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("hpc:toy:ConfigBucket", name, {"files": sorted(files)}, opts)
        bucket = gcp.storage.Bucket(
            f"{name}-bucket",
            location=region,
            force_destroy=True,
            labels=tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        objects: list[pulumi.Resource] = []
        for path, text in [*sorted(files.items()), (MANIFEST, manifest(files))]:
            after = pulumi.ResourceOptions(parent=self, depends_on=[*objects] if path == MANIFEST else None)
            asset = pulumi.StringAsset(text)
            objects.append(
                gcp.storage.BucketObject(f"{name}/{path}", bucket=bucket.name, name=path, source=asset, opts=after)
            )
        self.bucket = bucket.name
        self.register_outputs({})
