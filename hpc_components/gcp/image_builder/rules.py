from collections.abc import Iterator

from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-IMG-009", Level.WARNING)
def earlier_versions(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """On Google Cloud, `keep` must not be more than 1, because earlier versions of an image are not kept.

    The stack deletes an image once nodes are launched from the next version. The way back to an earlier version is to
    make it again. Source: hpc_components/gcp/image_builder/component.py.
    """
    for name, recipe in cluster.images.items():
        if recipe.given("keep") and recipe.keep > 1:
            yield Problem(
                path=("images", name, "keep"),
                value=recipe.keep,
                reason="on Google Cloud, the stack keeps only the version in use",
                remedy="use keep: 1, and go back by making the earlier version again",
            )
