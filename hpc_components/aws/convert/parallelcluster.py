import re
from typing import Any

from hpc_components.aws.convert.entry import Entry, entry_of
from hpc_components.aws.convert.keys import without_untold
from hpc_components.aws.convert.ledger import Ledger, made
from hpc_components.aws.convert.misplaced import put_right
from hpc_components.aws.convert.network import access_of, network_of
from hpc_components.aws.convert.nodes import head_node_of, login_nodes_of
from hpc_components.aws.convert.place import place_of
from hpc_components.aws.convert.queues import queues_of
from hpc_components.aws.convert.rest import iam_of, log_retention_of, tags_of
from hpc_components.aws.convert.slurm import slurm_of
from hpc_components.aws.convert.storage import storage_of
from hpc_components.aws.convert.tables import table
from hpc_components.convert.notes import Conversion
from hpc_components.spec.source import Document, Position, UnreadableError, position_after
from hpc_components.wording import did_you_mean

_OLD = re.compile(r"^\s*\[(aws|global|aliases|cluster [^]\n]*|vpc [^]\n]*|scaling [^]\n]*)\]\s*$", re.MULTILINE)
"""Matches section headers of ParallelCluster 2 files, which are in INI format."""


class ParallelCluster:
    """The AWS ParallelCluster 3 format. See `convert.formats.SourceFormat`."""

    title = "AWS ParallelCluster 3"

    def refuse(self, text: str, file: str) -> None:
        if found := _OLD.search(text):
            raise UnreadableError(
                "this is a ParallelCluster 2 configuration; convert it with AWS's tool first: "
f"pcluster3-config-converter --config-file {file} --output-file cluster.yaml",
                file, position_after(text[: found.start(1) - 1]),
            )  # fmt: skip

    def recognises(self, data: Any) -> bool:
        return isinstance(data, dict) and not {"HeadNode", "Scheduling"}.isdisjoint(data)

    def convert(self, document: Document, name: str) -> Conversion:
        """Convert a file. Raise UnreadableError if the file has no head node or no queues, or if its scheduler isn't
        Slurm.
        """
        ledger = Ledger()
        root = entry_of(document)
        put_right(root)
        _check(root, document.file)
        root = without_untold(root, ledger)
        where = place_of(root, ledger)
        access = access_of(root, ledger)
        cluster = {
            "cloud": "aws",
            "name": _cluster_name(name),
            "region": where.region,
            "zone": where.zone,
            "os": _system(root, ledger),
            "network": network_of(root, ledger, access, name, where),
            "head_node": head_node_of(root, ledger, access, where),
            "login_nodes": login_nodes_of(root, ledger, access),
            "storage": storage_of(root, ledger, where),
            "queues": queues_of(root, ledger, where),
            "slurm": slurm_of(root, ledger),
            "tags": tags_of(root, ledger),
            "log_retention": log_retention_of(root, ledger),
            "iam": iam_of(root, ledger),
        }
        _tell_the_rest(root, ledger)
        return Conversion(
            source=document.file,
            format=self.title,
            settings={"aws:region": where.region},
            cluster={key: value for key, value in cluster.items() if value not in (None, {})},
            notes=ledger.notes,
        )


FORMAT = ParallelCluster()

NOT_CONVERTED = "the value can't be converted in its current form"
"""Reason for values that have an unexpected form, or that are meaningless in combination with other keys."""


def _check(root: Entry, file: str) -> None:
    scheduler = root.get("Scheduling.Scheduler")
    if scheduler is not None and scheduler.value == "awsbatch":
        what = "AWS Batch is not supported; use Slurm, and specify SlurmQueues"
        raise UnreadableError(what, file, scheduler.at)
    if scheduler is not None and scheduler.value != "slurm":
        raise UnreadableError(
            f"{scheduler.value} is not a ParallelCluster 3 scheduler; use slurm", file, scheduler.at
        )
    for section in ("HeadNode", "Scheduling"):
        found = root.value.get(section)
        if found is None:
            hint = did_you_mean(section, root.value, "add it")
            raise UnreadableError(f"required section {section} is missing; {hint}", file, Position(1, 1))
        if not isinstance(found.value, dict):
            raise UnreadableError(f"section {section} must be a mapping; nest its keys under it", file, found.at)
    if not root.items("Scheduling.SlurmQueues"):
        at = root.value["Scheduling"].at
        raise UnreadableError(
            "Scheduling.SlurmQueues is missing or empty; a cluster needs at least one queue", file, at
        )


def _cluster_name(name: str) -> str:
    """Return a valid cluster name (rule HPC-NAM-001): at most 40 lower-case letters, digits and hyphens."""
    return re.sub(r"^[^a-z]+", "", re.sub(r"[^a-z0-9]+", "-", name.lower()))[:40].strip("-") or "cluster"


def _system(root: Entry, ledger: Ledger) -> str:
    systems = table("systems")["systems"]
    entry = root.get("Image.Os")
    told = systems.get(str(entry.value).lower()) if entry is not None else None
    default = systems["ubuntu2404"]["os"]
    if entry is None:
        return default
    if told is None:
        hint = did_you_mean(str(entry.value), systems, f"known: {', '.join(systems)}")
        ledger.decide(
            entry, f"{entry.value} is not a known operating system; {hint}", "see os", ("os",), made("os", default)
        )
        return default
    if "reason" in told:
        ledger.corrected(entry, made("os", told["os"]), told["reason"], told["remedy"])
    else:
        ledger.taken(entry, made("os", told["os"]))
    return told["os"]


def _tell_the_rest(root: Entry, ledger: Ledger) -> None:
    """Add a note on every value that doesn't have one yet, e.g. because it has an unexpected form."""
    for leaf in list(root.leaves()):
        around = (leaf.path[:size] for size in range(len(leaf.path) + 1))
        if leaf.value is not None and ledger.paths.isdisjoint(around):
            ledger.decide(leaf, NOT_CONVERTED, "see the notes on the neighbouring keys, or correct the value")
