from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table

from hpc_components.catalog.base_image import BaseImage, LustreClient
from hpc_components.cloud import cloud_named
from hpc_components.images.matrix import ListedImage, lustre_words
from hpc_components.images.nodes import NodeImage
from hpc_components.report.text import heading, indented, literal
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.packages import own_slurm

_NARROW = 100
"""Characters below which a table is hard to read."""


def images_document(images: Iterable[ListedImage]) -> dict[str, Any]:
    return {"images": [each.to_dict() for each in images]}


def nodes_document(stack: str, cluster: ClusterSpec, nodes: Sequence[NodeImage]) -> dict[str, Any]:
    return {
        "node_images": 1,
        "stack": stack,
        "cluster": cluster.name,
        "cloud": cluster.cloud,
        "region": cluster.region,
        "os": cluster.os,
        "slurm": {"version": cluster.slurm.version, "package_source": cluster.slurm.package_source},
        "nodes": [each.to_dict() for each in nodes],
    }


def images_tables(images: Sequence[ListedImage]) -> Group:
    """Render public images as one table per cloud."""
    titles = ("os", "arch", "driver for", "kernel", "software", "Lustre client", "Slurm", "version")
    parts: list[RenderableType] = []
    for cloud in dict.fromkeys(each.cloud for each in images):
        rows = [_public_row(each) for each in images if each.cloud == cloud]
        parts += [heading(cloud_named(cloud).title), _Words(titles, rows)]
    return Group(*parts, literal("? not confirmed. `hpc images --format json` lists ids, sources and dates.", "dim"))


def _public_row(listed: ListedImage) -> tuple[str, ...]:
    image = listed.image
    return (
        image.os,
        image.arch,
        _drivers(image),
        _kernel(image),
        _software(image),
        lustre_words(image, listed.client),
        listed.slurm or "none",
        image.pin or "newest at launch",
    )


def nodes_tables(stack: str, cluster: ClusterSpec, nodes: Sequence[NodeImage]) -> Group:
    """Render the images of a cluster's nodes: a table, and then what each image lacks."""
    titles = ("nodes", "machine", "kernel", "software", "Lustre client", "age")
    rows = [(each.nodes, each.machine, *_cells(each.base, each.client), _age(each)) for each in nodes]
    title = literal(f"{stack}  {cluster.name} on {cloud_named(cluster.cloud).title}, {cluster.region}", "bold")
    slurm = literal(f"{cluster.os}; {_slurm(cluster)}")
    footer = literal("? not confirmed. Ages are those at the date of the catalogue's newest image.", "dim")
    return Group(title, slurm, _Words(titles, rows), *_notes(nodes), footer)


def _cells(base: BaseImage | None, client: LustreClient | None) -> tuple[str, str, str]:
    return (_kernel(base), _software(base), lustre_words(base, client)) if base else ("?", "?", "?")


def _notes(nodes: Sequence[NodeImage]) -> Iterator[RenderableType]:
    for each in nodes:
        driver = f" with NVIDIA's driver {each.nvidia_driver}" if each.nvidia_driver else ""
        made = f"made by the recipe {each.recipe}{driver} from " if each.recipe else ""
        yield literal(f"{each.nodes}: {made}{each.name or 'no image'}")
        if each.is_other_version and each.base:
            yield indented(f"the facts are those of {each.base.id}")
        yield from (indented(f"lacks {lack}") for lack in each.lacks)
        yield from (indented(doubt) for doubt in each.doubts)


@dataclass(frozen=True)
class _Words:
    """A table of words that wraps its cells, or one paragraph per row in a narrow terminal."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < _NARROW:
            for first, *others in self.rows:
                named = zip(self.titles[1:], others, strict=True)
                yield literal(first, "bold")
                yield indented(", ".join(f"{title}: {text}" for title, text in named))
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
        for title in self.titles:
            table.add_column(title, overflow="fold")
        for row in self.rows:
            table.add_row(*map(literal, row))
        yield table


def _drivers(image: BaseImage) -> str:
    fabric = ["fabric"] if image.fabric else []
    models = list(image.models) or ([image.accelerator] if image.accelerator else [])
    doubt = "?" if "models" in image.unsure else ""
    return ", ".join([*fabric, *(f"{model}{doubt}" for model in models)]) or "-"


def _kernel(image: BaseImage) -> str:
    kernel = image.build or image.kernel
    return kernel + "?" * ("kernel" in image.unsure) if kernel else "?"


def _software(image: BaseImage) -> str:
    listed = (
        f"{name} {version}" + "?" * bool({"software", f"software.{name}"} & {*image.unsure})
        for name, version in image.software.items()
        if name != "lustre"
    )
    return ", ".join(listed) or "-"


def _age(node: NodeImage) -> str:
    if node.pinned is None:
        return "newest" if node.base else "?"
    return f"{max(node.pinned.age_days, 0)} days"


def _slurm(cluster: ClusterSpec) -> str:
    if cluster.slurm.from_source:
        return f"Slurm {cluster.slurm.version} built from source, unless an image contains it"
    if cluster.slurm.package_source is not None:
        return f"Slurm {cluster.slurm.version} from {cluster.slurm.package_source}"
    own = own_slurm(cluster.os)
    return f"Slurm {own} from its packages" if own else "no Slurm in its packages"
