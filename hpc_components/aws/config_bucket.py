"""The bucket with a cluster's configuration, from which nodes fetch what they are."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.private_bucket import make_private_bucket
from hpc_components.ports import ConfigStore, Tags

__all__ = ["MANIFEST", "ConfigBucket", "ConfigBucketArgs", "manifest"]

MANIFEST = "manifest"
"""Key of the object that lists all others with their checksums."""

_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


@dataclass(frozen=True, kw_only=True)
class ConfigBucketArgs:
    """Arguments of `ConfigBucket`."""

    files: Mapping[str, Input[str]]
    """Text by path. A node fetches `boot/<role>.sh` and all under `common/` and `<role>/`; there are the roles
    `head`, `login` and `compute`. Plain text shows its own difference in a preview; a text made of Outputs does not.
    """
    tags: Tags
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse paths that a node can't fetch."""
        for path in self.files:
            if path == MANIFEST or not _PATH.fullmatch(path):
                raise ValueError(
                    f"ConfigBucketArgs.files[{path!r}]: no path for a file; use letters, digits, . _ - and /,"
                    f" no part beginning with a dot, and not {MANIFEST!r} alone"
                )


class ConfigBucket(pulumi.ComponentResource):
    """A versioned bucket with one object per file. It holds nothing that the program can't make again."""

    store: ConfigStore
    """Where nodes fetch their configuration from."""

    def __init__(self, name: str, args: ConfigBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("hpc:aws:ConfigBucket", name, {"files": sorted(args.files)}, opts)
        child = pulumi.ResourceOptions(parent=self)
        bucket, versioning = make_private_bucket(
            name, versioning=True, force_destroy=True, tags=args.tags, opts=child
        )

        def put(path: str, text: Input[str], after: list[pulumi.Resource]) -> aws.s3.BucketObjectv2:
            # no tags: an object takes ten at most
            return aws.s3.BucketObjectv2(
                f"{name}/{path}",
                bucket=bucket.bucket,
                key=path,
                content=text,
                content_type="text/plain; charset=utf-8",
                opts=pulumi.ResourceOptions(parent=self, depends_on=after),
            )

        objects = [put(path, text, [versioning]) for path, text in sorted(args.files.items())]
        # last, so that a node which reads it finds what it lists
        put(MANIFEST, _manifest_of(args.files), [*objects])
        self.store = ConfigStore(bucket=bucket.bucket, arn=bucket.arn)
        self.register_outputs({"bucket": bucket.bucket})


def manifest(files: Mapping[str, str]) -> str:
    """What `sha256sum` would print for the files: a line `<sha256>  <path>` for each, by path."""
    sums = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    return "".join(f"{sums[path]}  {path}\n" for path in sorted(sums))


def _manifest_of(files: Mapping[str, Input[str]]) -> Input[str]:
    plain = {path: text for path, text in files.items() if isinstance(text, str)}
    return manifest(plain) if len(plain) == len(files) else pulumi.Output.all(**files).apply(manifest)
