"""Which image each node of a cluster boots from, and what that image lacks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpc_components.catalog import Machine
from hpc_components.catalog.base_image import BaseImage, LustreClient
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.driver_fixes import missing_fixes
from hpc_components.catalog.pinned_image import PinnedImage
from hpc_components.images.matrix import contents
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.node_images import has_recipe, images, recipe_of, who
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.stores import uses_lustre


@dataclass(frozen=True, kw_only=True)
class NodeImage:
    """The image of the head node, of the login nodes or of a queue's nodes."""

    nodes: str
    """Which nodes, e.g. `head_node` or `queue gpu`."""
    machine: str
    own: str | None
    """The image in the description, or None for the default image."""
    recipe: str | None
    """The recipe by which the stack makes the nodes' image, from `base`."""
    nvidia_driver: str | None
    """Branch of NVIDIA's driver that this recipe installs, if any."""
    base: BaseImage | None
    """The catalogue's facts about the image, or None if it has none."""
    client: LustreClient | None
    """Packages of the Lustre client for the cluster's operating system."""
    pinned: PinnedImage | None
    """The image's date, if its name contains one."""
    lacks: tuple[str, ...]
    """What the nodes need that the image neither contains nor can install."""
    doubts: tuple[str, ...]
    """What could be wrong with the image, or change."""

    @property
    def name(self) -> str | None:
        return self.own or (self.base.id if self.base else None)

    @property
    def is_other_version(self) -> bool:
        """Whether the facts are about another version of the image than the one in the description."""
        return self.own is not None and self.base is not None and self.own != self.base.id

    def to_dict(self) -> dict[str, Any]:
        return {
            "nodes": self.nodes,
            "machine": self.machine,
            "image": self.name,
            "recipe": self.recipe,
            "nvidia_driver": self.nvidia_driver,
            "contents": contents(self.base, self.client) if self.base else None,
            "made": self.pinned.made.isoformat() if self.pinned else None,
            "age_days": self.pinned.age_days if self.pinned else None,
            "lacks": list(self.lacks),
            "doubts": list(self.doubts),
        }


def node_images(cluster: ClusterSpec) -> Iterator[NodeImage]:
    catalog = catalog_of(cluster.cloud)
    lustre = uses_lustre(cluster)
    client = catalog.lustre_client(cluster.os)
    for path, name, own, machine in images(cluster):
        base = catalog.base_image(cluster.os, machine, own, lustre) if machine else None
        pinned = catalog.pinned_image(cluster.os, machine, own, lustre) if machine else None
        recipe = recipe_of(cluster, path)
        judged = _Judged(cluster, path, machine, own, base, client, pinned, lustre)
        yield NodeImage(
            nodes=who(cluster, [path]),
            machine=name,
            own=own,
            recipe=recipe,
            nvidia_driver=cluster.nvidia_driver_of(recipe),
            base=base,
            client=client,
            pinned=pinned,
            lacks=tuple(judged.lacks()),
            doubts=tuple(judged.doubts()),
        )


@dataclass(frozen=True)
class _Judged:
    cluster: ClusterSpec
    path: Path
    machine: Machine | None
    own: str | None
    base: BaseImage | None
    client: LustreClient | None
    pinned: PinnedImage | None
    lustre: bool

    def lacks(self) -> Iterator[str]:
        machine, base = self.machine, self.base
        if machine is None:
            return
        driver = f"driver for {machine.accelerator.model}" if machine.accelerator else ""
        if base is None:
            if self.own is None:
                yield f"a public image of {self.cluster.os} for {machine.arch}{driver and f' with a {driver}'}"
            return
        if base.arch != machine.arch:
            yield f"{machine.arch} (the image is for {base.arch})"
        if base.os != self.cluster.os:
            yield f"{self.cluster.os} (the image contains {base.os})"
        if not base.drives(machine) and not self._unsure_of("models"):
            yield f"the {driver}"
        if self._needs_fabric and not self._has_fabric:
            yield f"the driver for {machine.fabric.name}" if machine.fabric else "the fabric's driver"
        if self.lustre and "lustre" not in base.software:
            yield from self._lacks_client(base)

    def _lacks_client(self, base: BaseImage) -> Iterator[str]:
        if self.client is None:
            yield f"a Lustre client for {self.cluster.os}"
        elif self.client.lacks(base.kernel):
            yield f"a Lustre client for kernel {base.kernel} (there are packages up to {self.client.kernel})"

    @property
    def _needs_fabric(self) -> bool:
        return self.path[0] == "queues" and fabric_on(self.cluster.queues[int(self.path[1])])

    @property
    def _has_fabric(self) -> bool:
        has_driver = catalog_of(self.cluster.cloud).has_fabric_driver
        return self.machine is None or has_driver(self.cluster.os, self.machine, self.own)

    def _unsure_of(self, field: str) -> bool:
        return self.base is not None and field in self.base.unsure

    def doubts(self) -> Iterator[str]:
        machine, base = self.machine, self.base
        if machine is None:
            yield "the catalogue has no facts about this machine type"
        elif base is None:
            if self.own is not None:
                yield "the catalogue has no facts about this image"
        else:
            if self.pinned is None and not has_recipe(self.cluster, self.path):
                yield "not pinned: new nodes may get a newer version"
            elif self.pinned is not None and self.pinned.name == base.id:
                yield from _without_fixes(base)
            if not base.drives(machine) and self._unsure_of("models") and machine.accelerator:
                yield f"no source confirms a driver for {machine.accelerator.model}"
            if self.lustre and "lustre" not in base.software and self.client is not None:
                yield from self._doubtful_client(base, self.client)

    def _doubtful_client(self, base: BaseImage, client: LustreClient) -> Iterator[str]:
        if "os" in client.unsure:
            yield f"sources disagree on whether there is a Lustre client for {self.cluster.os}"
        if base.kernel is None and not base.lustre:
            yield "no source states the kernel, so there may be no Lustre client for it"


def _without_fixes(base: BaseImage) -> Iterator[str]:
    for driver, version in base.software.items():
        for fix in missing_fixes(driver, version):
            bulletin = f"{fix.bulletin} ({fix.fixed}, {fix.published})"
            yield f"{driver} {version} is older than the security fixes of {bulletin}"
