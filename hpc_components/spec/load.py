from pathlib import Path
from typing import Any, TypeVar, cast

from hpc_components.errors import HpcError
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Finding
from hpc_components.spec.printable import printable
from hpc_components.spec.project import NoProjectError, find_project, with_named_files
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge
from hpc_components.wording import plural

Spec = TypeVar("Spec", bound=ClusterSpec)


class SpecError(HpcError, ValueError):
    """Raised for an invalid description. The message lists every error with its location, reason and remedy."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        lines = [printable(f"{one.id} {one.path}: {one.reason}; {one.remedy}") for one in findings]
        super().__init__("\n  ".join([f"{plural(len(lines), 'error')} in the cluster's description:", *lines]))


def load_cluster(data: Any, root: Path | None = None) -> ClusterSpec:
    """Return the cluster described by `data`, the value of `hpc:cluster`.

    Files that it names are relative to `root`, by default the directory that contains `Pulumi.yaml`, above the
    current directory. Raise SpecError if a rule finds an error, and UnreadableError if such a file is invalid.
    """
    document = with_named_files(Document("hpc:cluster", data), lambda: root or _root())
    judgement = judge(document)
    if judgement.errors or judgement.cluster is None:
        raise SpecError(judgement.errors)
    return judgement.cluster


def _root() -> Path:
    try:
        return find_project().root
    except NoProjectError:
        return Path.cwd()


def check(cluster: Spec, root: Path | None = None) -> Spec:
    """Check a cluster that was built in Python, and return it. Raise the same errors as `load_cluster`."""
    return cast(
        Spec, load_cluster(cluster.model_dump(mode="json", exclude_unset=True), root)
    )  # the value of `cloud` determines the model
