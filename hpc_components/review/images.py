"""What differs between the images of two plans, and what it means for nodes."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.boot.manifest import MANIFEST
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.image_builds import image_build
from hpc_components.images.unpacked import bundle_files
from hpc_components.preview.clouds import reader_of
from hpc_components.preview.files import BUNDLES
from hpc_components.preview.images import MadeImage
from hpc_components.preview.plan import Plan

_FACTS_FILE = "common/cluster.env"
_FACTS = {
    "HPC_SLURM": "Slurm",
    "HPC_OS": "system",
    "HPC_PACKAGE_SOURCE": "package source",
    "HPC_IMAGE_ROLES": "roles",
    "HPC_IMAGE_FABRIC": "fabric's software",
    "HPC_IMAGE_LUSTRE": "Lustre client",
    "HPC_IMAGE_BUILDS": "tools to build software",
    "HPC_REGION": "region",
    "HPC_ACCOUNTING": "accounting",
    "HPC_PEOPLE": "people",
    "HPC_MONITORING": "monitoring",
    "HPC_USERS_ON": "where users log in",
    "HPC_FABRIC": "MPI of the fabric",
}
"""Names for what a bundle knows of the cluster. Other keys are named as they are."""
_OWN_SCRIPTS = "image/scripts"
_STEPS, _SCRIPTS, _BUILDER = "steps", "your scripts", "settings of the builder"
_SHOWN_HEAD = "head_node"


@dataclass(frozen=True, kw_only=True)
class ImageInput:
    """Something that goes into an image and differs. `files` names changed files; other inputs have values."""

    name: str
    before: str = ""
    after: str = ""
    files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        values = {"files": list(self.files)} if self.files else {"before": self.before, "after": self.after}
        return {"name": self.name, **values}


@dataclass(frozen=True, kw_only=True)
class ImageChange:
    """A recipe's image on both sides. At least one side has it."""

    recipe: str
    before: MadeImage | None
    after: MadeImage | None
    inputs: tuple[ImageInput, ...]

    @property
    def is_made(self) -> bool:
        """Whether `pulumi up` makes a new version."""
        return self.after is not None and (self.before is None or self.before.version != self.after.version)

    @property
    def replaces_head(self) -> bool:
        return self.is_made and self.after is not None and _SHOWN_HEAD in self.after.nodes

    @property
    def new_nodes(self) -> tuple[str, ...]:
        """Nodes that get the new version when they are launched; running ones keep theirs."""
        after = self.after.nodes if self.is_made and self.after else ()
        return tuple(nodes for nodes in after if nodes != _SHOWN_HEAD)

    def to_dict(self) -> dict[str, Any]:
        build = image_build()
        return {
            "recipe": self.recipe,
            "before": self.before.to_dict() if self.before else None,
            "after": self.after.to_dict() if self.after else None,
            "inputs": [each.to_dict() for each in self.inputs],
            "estimated_minutes": [build.least_minutes, build.most_minutes] if self.is_made else None,
            "replaces_head_node": self.replaces_head,
            "new_nodes_only": list(self.new_nodes),
        }


def image_changes(before: Plan | None, after: Plan | None) -> tuple[ImageChange, ...]:
    """Return both sides of each recipe's image, sorted by recipe."""
    sides = [{each.recipe: each for each in plan.images} if plan else {} for plan in (before, after)]
    old, new = sides
    return tuple(
        ImageChange(
            recipe=recipe,
            before=old.get(recipe),
            after=new.get(recipe),
            inputs=tuple(_inputs(before, after, recipe)) if recipe in old and recipe in new else (),
        )
        for recipe in sorted(old.keys() | new.keys())
    )


def _inputs(before: Plan | None, after: Plan | None, recipe: str) -> Iterator[ImageInput]:
    assert before
    assert after
    (was,), (now,) = ([each for each in plan.images if each.recipe == recipe] for plan in (before, after))
    if was.version == now.version:
        return
    found = [*_of_base(was, now, after.cloud), *_of_bundle(_files(before, was), _files(after, now))]
    yield from found or [ImageInput(name=_BUILDER, files=("machine", "size of the disk"))]


def _of_base(was: MadeImage, now: MadeImage, cloud: str) -> Iterator[ImageInput]:
    if was.base == now.base:
        return
    yield ImageInput(name="base", before=was.base, after=now.base)
    kernels = [
        next((each.build or each.kernel for each in catalog_of(cloud).base_images() if base.endswith(each.id)), None)
        for base in (was.base, now.base)
    ]
    if len({*kernels}) > 1:
        yield ImageInput(name="kernel", before=kernels[0] or "unknown", after=kernels[1] or "unknown")


def _of_bundle(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[ImageInput]:
    facts = [_facts(files.get(_FACTS_FILE, "")) for files in (old, new)]
    for key in sorted(facts[0].keys() | facts[1].keys(), key=_rank):
        was, now = (each.get(key, "") for each in facts)
        if was != now:
            yield ImageInput(name=_FACTS.get(key, key), before=was or "none", after=now or "none")
    changed = [path for path in sorted(old.keys() | new.keys()) if old.get(path) != new.get(path)]
    changed = [path for path in changed if path not in (MANIFEST, _FACTS_FILE)]
    own = tuple(path for path in changed if path.startswith(_OWN_SCRIPTS))
    for name, files in ((_SCRIPTS, own), (_STEPS, tuple(path for path in changed if path not in own))):
        if files:
            yield ImageInput(name=name, files=files)


def _rank(key: str) -> tuple[int, str]:
    return ([*_FACTS].index(key) if key in _FACTS else len(_FACTS)), key


def _facts(text: str) -> dict[str, str]:
    try:
        pairs = shlex.split(text)
    except ValueError:  # another release writes it in another way
        return {}
    return {key: value for key, _, value in (pair.partition("=") for pair in pairs)}


def _files(plan: Plan, image: MadeImage) -> dict[str, str]:
    """Return the files of an image's bundle; none if the plan does not contain a readable bundle."""
    reader, name = reader_of(plan.cloud), f"{BUNDLES}{image.recipe}-{image.version}.sh"
    text = next((text for each in plan.resources for found, text in reader.files(each) if found == name), "")
    try:
        return bundle_files(text)
    except ValueError:
        return {}
