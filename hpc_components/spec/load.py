"""Loading of a cluster from plain data; one error lists everything that is wrong with it."""

from typing import Any, TypeVar, cast

from hpc_components.errors import HpcError
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Finding
from hpc_components.spec.printable import printable
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge
from hpc_components.wording import plural

Spec = TypeVar("Spec", bound=ClusterSpec)


class SpecError(HpcError, ValueError):
    """A description with errors. The message lists every one with its place, reason and remedy."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        lines = [printable(f"{one.id} {one.path}: {one.reason}; {one.remedy}") for one in findings]
        super().__init__("\n  ".join([f"{plural(len(lines), 'error')} in the description of the cluster:", *lines]))


def load_cluster(data: Any) -> ClusterSpec:
    """Return the cluster that `data` (the value of `hpc:cluster`) describes. SpecError if any rule finds an error."""
    judgement = judge(Document("hpc:cluster", data))
    if judgement.errors or judgement.cluster is None:
        raise SpecError(judgement.errors)
    return judgement.cluster


def check(cluster: Spec) -> Spec:
    """Return `cluster`, which was built in Python; SpecError if a rule finds an error in it."""
    return cast(
        Spec, load_cluster(cluster.model_dump(mode="json", exclude_unset=True))
    )  # the cloud determines the model
