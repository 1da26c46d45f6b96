import re
from collections.abc import Iterator

from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule


@rule("HPC-IMG-009", Level.WARNING)
def image_of_the_stack(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """On Google Cloud, nodes must not name an image that the stack makes; they name its recipe.

    The stack deletes the version once it is no longer among the newest that the recipe keeps, or when no node uses
    the recipe, and then its nodes can't be launched. Source: hpc_components/gcp/image_builder/component.py.
    """
    made = re.compile(
        rf"projects/{re.escape(cluster.project)}/global/images/{cluster.name}-image-(.+)-[0-9a-f]{{12}}"
    )
    for path, image in _images(cluster):
        if image and (found := made.fullmatch(image)) and found[1] in cluster.images:
            yield Problem(
                path=path,
                value=image,
                reason=f"this is a version of {found[1]}, and the stack deletes it when newer ones have been made",
                remedy=f"use image: {found[1]}, with the description that the version was made from",
            )


def _images(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str | None]]:
    yield ("head_node", "image"), cluster.head_node.image
    if cluster.login_nodes:
        yield ("login_nodes", "image"), cluster.login_nodes.image
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index, "image"), queue.image
