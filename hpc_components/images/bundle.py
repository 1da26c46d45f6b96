"""Builds the bundle of an image recipe: one shell script, with all its files, that prepares a machine for an image
and tests a machine that was booted from that image."""

import base64
import io
import shlex
import tarfile
from collections.abc import Iterator, Mapping

from hpc_components.boot.cloud_part import cloud_boot
from hpc_components.boot.files import accounting_of
from hpc_components.boot.manifest import MANIFEST, manifest
from hpc_components.boot.own_scripts import image_script_files
from hpc_components.boot.packaged import packaged_scripts, packaged_text
from hpc_components.boot.system import for_system, slurm_source_files, system_facts, system_of
from hpc_components.software.eessi_files import release_fact
from hpc_components.software.pyxis_files import pyxis_facts
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.queues import Queue
from hpc_components.spec.stores import uses_lustre

_STEPS = (
    "common/fabric.sh",
    "common/mounts.sh",
    "common/node.sh",
    "common/packages.sh",
    "common/run.sh",
    "common/scripts.sh",
    "common/slurm_source.sh",
    "common/software.sh",
    "common/system.sh",
)
"""Files of a node's boot that a bake reads too, besides those of the cloud and of the system's family."""

_OF_FAMILY = {
    "debian": ("common/apt.sh", "common/debian.sh"),
    "redhat": ("common/dnf.sh", "common/redhat.sh", "common/redhat_packages"),
}

_OF_CONTAINER = {"IMAGE_LUSTRE": "no", "IMAGE_FABRIC": ""}


def bundle(cluster: ClusterSpec, recipe: str, *, in_container: bool = False) -> str:
    """Return the bundle of `recipe`. `bash <bundle> bake` and `bash <bundle> test` run it, as root. For a container,
    what needs the kernel of a machine in the cloud is left out.

    The bundle depends only on what a bake reads, e.g. not on users or limits of queues. Raise ValueError if the
    cluster has no such recipe, or if no node uses it.
    """
    if recipe not in cluster.images:
        raise ValueError(f"no recipe {recipe!r} in images; use one of {', '.join(cluster.images) or 'none'}")
    roles = _roles(cluster, recipe)
    if not roles:
        raise ValueError(
            f"no node uses the recipe {recipe!r}: name it under image of head_node, login_nodes or a queue"
        )
    facts = _facts(cluster, recipe, roles) | (_OF_CONTAINER if in_container else {})
    files = _files(cluster, recipe, facts)
    files = {**files, MANIFEST: manifest(files)}
    packed = base64.encodebytes(_tar({f"files/{path}": text for path, text in files.items()})).decode()
    return packaged_text("hpc_components.images", "bundle.sh") + packed


def _roles(cluster: ClusterSpec, recipe: str) -> tuple[str, ...]:
    """Return the roles of the nodes that use the recipe, in the order head, login, compute."""
    named = {
        "head": cluster.head_node.image == recipe,
        "login": cluster.login_nodes is not None and cluster.login_nodes.image == recipe,
        "compute": any(_queues(cluster, recipe)),
    }
    return tuple(role for role, uses in named.items() if uses)


def _queues(cluster: ClusterSpec, recipe: str) -> Iterator[Queue]:
    return (queue for queue in cluster.queues if queue.image == recipe)


def needs_kernel(cluster: ClusterSpec, recipe: str) -> tuple[str, ...]:
    """Return what in the image of `recipe` is made for the kernel of a machine in the cloud."""
    facts = _facts(cluster, recipe, _roles(cluster, recipe))
    parts = {"Lustre client": facts["IMAGE_LUSTRE"] == "yes", "software of the fabric": bool(facts["IMAGE_FABRIC"])}
    return tuple(part for part, wanted in parts.items() if wanted)


def _files(cluster: ClusterSpec, recipe: str, facts: Mapping[str, str]) -> dict[str, str]:
    boot, part = packaged_scripts("hpc_components.boot"), cloud_boot(cluster.cloud)
    cloud = part.node_files(cluster)
    eessi = cluster.software.eessi if cluster.software else None
    pyxis = pyxis_facts(cluster)
    wanted = {"common/eessi.sh": eessi, "common/pyxis.sh": pyxis}
    steps = (
        *_STEPS,
        *_OF_FAMILY[system_of(cluster).family or ""],
        *(path for path, given in wanted.items() if given),
    )
    texts = {
        **packaged_scripts("hpc_components.images"),
        **{path: boot[path] for path in steps},
        **slurm_source_files(cluster),
        **{path: cloud[path] for path in part.image_files(cluster)},
        **image_script_files(cluster, recipe),
        "common/cluster.env": "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in facts.items()),
        **({"common/eessi/facts.env": release_fact(cluster)} if eessi else {}),
        **pyxis,
    }
    return for_system(cluster, texts)


def _facts(cluster: ClusterSpec, recipe: str, roles: tuple[str, ...]) -> dict[str, str]:
    users_on = "login" if cluster.login_nodes else "head"
    for_users = users_on in roles
    on_nodes = any(fabric_on(queue) for queue in _queues(cluster, recipe))
    on_any = any(fabric_on(queue) for queue in cluster.queues)
    modes = {"image": on_nodes, "users": for_users and on_any}
    return {
        "IMAGE": recipe,
        "IMAGE_ROLES": " ".join(roles),
        "IMAGE_FABRIC": " ".join(mode for mode, wanted in modes.items() if wanted),
        "IMAGE_LUSTRE": _yes(uses_lustre(cluster)),
        "IMAGE_NVIDIA": cluster.images[recipe].nvidia_driver or "",
        "IMAGE_BUILDS": _yes(cluster.build_queue in _queues(cluster, recipe)),
        "REGION": cluster.region,
        **system_facts(cluster),
        "SLURM": cluster.slurm.version,
        "PACKAGE_SOURCE": cluster.slurm.package_source or "",
        "USERS_ON": users_on if for_users else "",
        "ACCOUNTING": accounting_of(cluster) if "head" in roles else "none",
        "PEOPLE": _yes(cluster.people is not None),
        "MONITORING": _yes(cluster.monitoring is not None),
        "FABRIC": _yes(on_any if for_users else on_nodes),
    }


def _tar(files: Mapping[str, str]) -> bytes:
    """Return an archive whose bytes depend only on the files' paths and texts."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for path in sorted(files):
            content = files[path].encode()
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"
