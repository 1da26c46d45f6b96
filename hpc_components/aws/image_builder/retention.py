import json
from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageRetentionArgs:
    """Arguments of `ImageRetention`."""

    function_name: Input[str]
    """Name of the function that removes images; see `ImageBuilder`."""
    keep: Mapping[str, int]
    """Maps each recipe to the number of versions to keep."""
    versions: Mapping[str, str]
    """Maps each recipe whose image is made to the version in use, which is kept in any case."""


class ImageRetention(Component[ImageRetentionArgs]):
    """Removes versions of images that are no longer kept, each time that a version or a number changes.

    Make it depend on everything that launches nodes, so that old versions are removed only when nodes are launched
    from new ones. An image that a launch template names is never removed.
    """

    def _make(self, name: str, args: ImageRetentionArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:ImageRetention", name, {"keep": dict(args.keep)}, opts)
        wanted = {
            recipe: {"versions": number, "current": args.versions.get(recipe)} for recipe, number in args.keep.items()
        }
        asked = json.dumps({"keep": wanted}, sort_keys=True)
        aws.lambda_.Invocation(
            f"{name}-on-change",
            function_name=args.function_name,
            input=asked,
            triggers={"input": asked},
            lifecycle_scope="CREATE_ONLY",
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})
