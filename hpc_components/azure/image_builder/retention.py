import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.image_builder.component import child_of, version_number
from hpc_components.azure.image_builder.script import make_script
from hpc_components.azure.ports import Group, Identity
from hpc_components.azure.tags import Tags
from hpc_components.boot.packaged import packaged_text
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageRetentionArgs:
    """Arguments of `ImageRetention`."""

    group: Group
    """Resource group of the gallery."""
    gallery_name: Input[str]
    """Name of the gallery; see `ImageBuilder`."""
    run_identity: Identity
    """Identity that deletes versions; see `ImageBuilder`."""
    keep: Mapping[str, int]
    """Maps each recipe to the number of versions to keep."""
    versions: Mapping[str, str]
    """Maps each recipe whose image is made to the version in use, which is kept in any case."""
    pinned: tuple[str, ...] = ()
    """Ids of image versions that are kept in any case."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class ImageRetention(Component[ImageRetentionArgs]):
    """Removes versions of images that are no longer kept, each time that a version or a number changes.

    Make it depend on everything that launches nodes, so that old versions are removed only when nodes are launched
    from new ones.
    """

    def _make(self, name: str, args: ImageRetentionArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:ImageRetention", name, {"keep": dict(args.keep)}, opts)
        in_use = {recipe: version_number(version) for recipe, version in args.versions.items()}
        lines = "".join(f"{recipe} {number} {in_use.get(recipe, '-')}\n" for recipe, number in args.keep.items())
        pinned = "\n".join(args.pinned) or "-"
        make_script(
            f"{name}-on-change",
            script=packaged_text("hpc_components.azure.image_builder", "retain.sh"),
            group=args.group,
            identity=args.run_identity,
            variables={"GROUP": args.group.name, "GALLERY": args.gallery_name, "KEEP": lines, "PINNED": pinned},
            minutes=60,
            run=hashlib.sha256(f"{lines}\n{pinned}".encode()).hexdigest()[:12],
            tags=args.tags,
            opts=child_of(self, opts),
        )
        self.register_outputs({})
