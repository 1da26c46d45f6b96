from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, made


def tags_of(root: Entry, ledger: Ledger) -> dict[str, str]:
    tags: dict[str, str] = {}
    for entry in root.items("Tags"):
        key, value = entry.get("Key"), entry.get("Value")
        name = "" if key is None else str(key.value)
        kept = name.startswith(("aws:", "parallelcluster:")) or name == "ClusterName"
        for each in filter(None, (key, value)):
            if kept:
                ledger.dropped(each, f"{name} is reserved by AWS, ParallelCluster or the cluster itself")
            else:
                ledger.taken(each, made(f"tags.{name}", "" if value is None else value.value))
        if name and not kept:
            tags[name] = "" if value is None else str(value.value)
    return tags


def log_retention_of(root: Entry, ledger: Ledger) -> str | None:
    entry = root.get("Monitoring.Logs.CloudWatch.RetentionInDays")
    days = ledger.number(entry)
    if entry is None or days is None:
        return None
    if days == 0:
        ledger.dropped(entry, "logs can't be kept forever", "write log_retention: 3653d")
        return None
    ledger.taken(entry, made("log_retention", f"{days}d"))
    return f"{days}d"


def iam_of(root: Entry, ledger: Ledger) -> dict[str, Any]:
    iam: dict[str, Any] = {}
    if entry := root.get("Iam.PermissionsBoundary"):
        iam["permissions_boundary"] = str(entry.value)
        ledger.taken(entry, made("iam.permissions_boundary", entry.value))
    if entry := root.get("Iam.ResourcePrefix"):
        path, slash, name = str(entry.value).rpartition("/")
        iam |= {"role_path": path + slash} if len(path) > 1 else {}
        told = made("iam.role_path", path + slash or "/")
        if name:
            ledger.corrected(
                entry, told, "role names always begin with the cluster's name, so the name prefix is dropped"
            )
        else:
            ledger.taken(entry, told)
    return iam
