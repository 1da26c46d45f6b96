from collections.abc import Iterator
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, made
from hpc_components.aws.convert.place import Place
from hpc_components.spec.findings import Path, dotted

_WORDS = {"DeploymentType": "deployment", "StorageType": "storage", "DriveCacheType": "drive_cache"}

_POLICIES = {
    "NEW": ["new"],
    "NEW_CHANGED": ["new", "changed"],
    "NEW_CHANGED_DELETED": ["new", "changed", "deleted"],
}
"""Changes covered by each import policy. Source: ParallelCluster 3.16, AutoImportPolicy."""

_DEFAULT_GIB = 1200
"""Size, in GiB, to use if the file doesn't specify one. This is also the minimum size."""


def lustre_of(settings: Entry, ledger: Ledger, place: Path, where: Place) -> dict[str, Any]:
    """Return all settings of the file system except its type, mount and encryption key."""
    path = dotted(place)
    size = ledger.number(settings.get("StorageCapacity"), place)
    lustre: dict[str, Any] = {"size": f"{size if size is not None else _DEFAULT_GIB}GiB"}
    if size is not None:
        ledger.taken(settings.value["StorageCapacity"], made(f"{path}.size", lustre["size"]))
    for key, ours in _WORDS.items():
        if entry := settings.get(key):
            lustre[ours] = str(entry.value).lower()
            ledger.taken(entry, made(f"{path}.{ours}", lustre[ours]))
    if (throughput := ledger.number(settings.get("PerUnitStorageThroughput"), place)) is not None:
        lustre["throughput"] = throughput
        ledger.taken(settings.value["PerUnitStorageThroughput"], made(f"{path}.throughput", throughput))
    if entry := settings.get("DataCompressionType"):
        lustre |= _compression(entry, ledger, path)
    if (days := ledger.number(settings.get("AutomaticBackupRetentionDays"), place)) is not None:
        lustre |= {"backups": f"{days}d"} if days else {}
        ledger.taken(
            settings.value["AutomaticBackupRetentionDays"], made(f"{path}.backups", f"{days}d" if days else "none")
        )
    if entry := settings.get("BackupId"):
        ledger.decide(entry, "a file system can't be created from a backup", "copy its data", place)
    links = [*_old_link(settings, ledger, place), *_associations(settings, ledger, path)]
    if links and where.left is not None:
        bucket = settings.get("ImportPath") or settings.items("DataRepositoryAssociations")[0]
        ledger.decide(
            bucket, f"the bucket must be in {where.region}, like the file system",
            "use a bucket in that region, e.g. a copy of this one", (*place, "associations"), f"{path}.associations",
        )  # fmt: skip
    return lustre | ({"associations": links} if links else {})


def _compression(entry: Entry, ledger: Ledger, path: str) -> dict[str, Any]:
    on = str(entry.value).upper() == "LZ4"
    ledger.taken(entry, made(f"{path}.compression", on))
    return {} if on else {"compression": False}


def _old_link(settings: Entry, ledger: Ledger, place: Path) -> Iterator[dict[str, Any]]:
    """Yield an association that replaces `ImportPath` and its related keys, which apply to the whole file system."""
    source, target = settings.get("ImportPath"), settings.get("ExportPath")
    policy = settings.get("AutoImportPolicy")
    path = f"{dotted(place)}.associations[0]"
    if source is None:
        for entry in (target, policy):
            if entry is not None:
                ledger.dropped(
                    entry, "this key has no effect without ImportPath", "to link a bucket, use associations"
                )
        return
    bucket = str(source.value).rstrip("/")
    back = target is not None and str(target.value).rstrip("/") == bucket
    ledger.taken(source, made(f"{path}.bucket", bucket))
    link = {"path": "/", "bucket": bucket, "auto_import": [], "auto_export": ["new", "changed"] if back else []}
    if policy is not None:
        link["auto_import"] = _import_policy(policy, ledger, path, place)
    if target is not None and back:
        ledger.taken(target, made(f"{path}.auto_export", "[new, changed]"), "files are exported automatically")
    elif target is not None:
        ledger.decide(
            target, "a directory must be imported from and exported to the same bucket path, so export is turned off "
"for now",
            f"to export results to {bucket}, set auto_export: [new, changed], or link another directory to "
f"{target.value}", (*place, "associations"),
        )  # fmt: skip
    yield link


def _import_policy(policy: Entry, ledger: Ledger, path: str, place: Path) -> list[str]:
    words = _POLICIES.get(str(policy.value).upper())
    if words is None:
        remedy = f"specify auto_import; ParallelCluster's import policies are {', '.join(_POLICIES)}"
        ledger.decide(policy, f"{policy.value} is not an import policy", remedy, (*place, "associations"))
        return []
    ledger.taken(policy, made(f"{path}.auto_import", f"[{', '.join(words)}]"))
    return words


def _associations(settings: Entry, ledger: Ledger, path: str) -> Iterator[dict[str, Any]]:
    for number, entry in enumerate(settings.items("DataRepositoryAssociations")):
        link: dict[str, Any] = {"path": "/", "auto_import": [], "auto_export": []}
        where = f"{path}.associations[{number}]"
        for key, ours in (("FileSystemPath", "path"), ("DataRepositoryPath", "bucket")):
            if found := entry.get(key):
                link[ours] = str(found.value)
                ledger.taken(found, made(f"{where}.{ours}", found.value))
        for key, ours in (("AutoImportPolicy", "auto_import"), ("AutoExportPolicy", "auto_export")):
            if found := entry.get(key):
                link[ours] = [str(each.value).lower() for each in entry.items(key)]
                ledger.taken(found, made(f"{where}.{ours}", f"[{', '.join(link[ours])}]"))
        yield {key: link[key] for key in ("path", "bucket", "auto_import", "auto_export") if key in link}
