"""Converts file systems."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, made
from hpc_components.aws.convert.lustre import lustre_of
from hpc_components.aws.convert.place import Place
from hpc_components.spec.findings import Path, dotted

_MIN_NFS_GIB = 64
"""Size, in GiB, of the smallest file system that FSx for OpenZFS offers; see `aws/home/facts.json`."""

_DEFAULT_EBS_GIB = 35
"""Size of a shared volume, in GiB, if the file doesn't specify one. Source: ParallelCluster 3.16,
EBS_VOLUME_SIZE_DEFAULT."""

_MAX_NAME_LENGTH = 30
"""Maximum length of a file system's name, according to rule HPC-NAM-004."""

_IDS = ("VolumeId", "FileCacheId")
"""Keys that hold the id of an FSx for OpenZFS or ONTAP volume, or of a file cache."""


@dataclass(frozen=True)
class _Work:
    """A shared storage entry in the file, and its place in the description."""

    entry: Entry
    place: Path
    where: Place
    ledger: Ledger

    @property
    def path(self) -> str:
        """The file system's path in the description."""
        return dotted(self.place)


def storage_of(root: Entry, ledger: Ledger, where: Place) -> dict[str, dict[str, Any]]:
    """Return all file systems by name. Add one for home directories if they are on the head node's disk."""
    storage: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(root.items("SharedStorage")):
        name = _name(entry, number, storage, ledger)
        system = _file_system(_Work(entry, ("storage", name), where, ledger))
        if system is not None:
            storage[name] = system
    if all(str(each.plain("MountDir")).strip("/") != "home" for each in root.items("SharedStorage")):
        home = "home" if "home" not in storage else "homes"
        storage[home] = {"type": "efs", "mount": "/home"}
        around = root.get("HeadNode") or root
        ledger.corrected(
            Entry(("HeadNode", "(home)"), around.at, None), f"storage.{home}: {{type: efs, mount: /home}}",
            "ParallelCluster exports /home from the head node's disk; here it is a separate file system",
            "copy the files",
        )  # fmt: skip
    return storage


def _name(entry: Entry, number: int, taken: dict[str, Any], ledger: Ledger) -> str:
    found = entry.get("Name")
    word = str(found.value) if found is not None else f"storage{number + 1}"
    name = re.sub(r"[^a-z0-9-]+", "-", word.lower()).strip("-")[:_MAX_NAME_LENGTH] or f"storage{number + 1}"
    name = f"{name[: _MAX_NAME_LENGTH - 3]}-{number + 1}" if name in taken or not name[0].isalpha() else name
    name = name if name[0].isalpha() else f"fs-{name}"
    if found is not None and name != word:
        ledger.corrected(
            found, f"storage.{name}", "names are unique, and consist of lower-case letters, digits and -"
        )
    elif found is not None:
        ledger.taken(found, f"storage.{name}")
    return name


def _file_system(work: _Work) -> dict[str, Any] | None:
    mount = work.entry.get("MountDir")
    found = "/" + str(mount.value).lstrip("/") if mount is not None else ""
    if mount is not None:
        work.ledger.taken(mount, made(f"{work.path}.mount", found))
    kind = work.entry.get("StorageType")
    makers: dict[str, Callable[[_Work, Entry, Entry], dict[str, Any] | None]] = {
        "ebs": _ebs, "efs": _efs, "fsxlustre": _lustre,
        "fsxopenzfs": _volume, "fsxontap": _volume, "filecache": _volume,
    }  # fmt: skip
    maker = makers.get(str(kind.value).lower()) if kind is not None else None
    if kind is None or maker is None:
        told = kind if kind is not None else Entry((*work.entry.path, "StorageType"), work.entry.at, None)
        known = "Ebs, Efs, FsxLustre, FsxOpenZfs, FsxOntap, FileCache"
        remedy = f"ParallelCluster's types are {known}; write one, and convert the file again"
        work.ledger.decide(told, "the type of the storage is missing or unknown", remedy, ("storage",))
        return None
    settings = next((each for key, each in work.entry.value.items() if key.endswith("Settings")), None)
    rest = maker(work, kind, settings if settings is not None else Entry(work.entry.path, work.entry.at, {}))
    return None if rest is None else {"type": rest.pop("type"), "mount": found} | rest


def _ebs(work: _Work, kind: Entry, settings: Entry) -> dict[str, Any]:
    """Return an FSx for OpenZFS file system to replace a volume exported by the head node."""
    ledger = work.ledger
    size = ledger.number(settings.get("Size"), work.place)
    raid, disks = settings.get("Raid.Type"), ledger.number(settings.get("Raid.NumberOfVolumes"), work.place) or 2
    each = size if size is not None else _DEFAULT_EBS_GIB
    whole = each * disks if raid is not None and str(raid.value) == "0" else each
    gib = max(whole, _MIN_NFS_GIB)
    told = made(f"{work.path}.size", f"{gib}GiB")
    reason = "volumes can't be shared: with a volume on the head node, all would lose it when the node is replaced"
    ledger.corrected(kind, made(f"{work.path}.type", "nfs"), reason, "it is FSx for OpenZFS, which costs more")
    if (entry := settings.get("Size")) is not None and size is not None:
        if gib > whole:
            ledger.corrected(entry, told, f"FSx for OpenZFS sells {_MIN_NFS_GIB} GiB or more")
        else:
            ledger.taken(entry, told)
    for entry in (settings.get("Raid.Type"), settings.get("Raid.NumberOfVolumes")):
        if entry is not None:
            ledger.corrected(entry, told, "one file system replaces the volumes")
    for key in ("VolumeId", "SnapshotId"):
        if entry := settings.get(key):
            ledger.decide(entry, "the new file system does not contain its data", "copy the data", work.place)
    return {"type": "nfs", "size": f"{gib}GiB"} | _key(work, settings)


def _efs(work: _Work, kind: Entry, settings: Entry) -> dict[str, Any]:
    ledger = work.ledger
    if entry := settings.get("FileSystemId"):
        server = f"{entry.value}.efs.{work.where.left or work.where.region}.amazonaws.com"
        ledger.corrected(kind, made(f"{work.path}.type", "nfs"), "an existing EFS is mounted as an NFS server")
        ledger.decide(
            entry, "it exists in another network, which nodes must reach",
            "use that network (network.existing), or connect the two networks", work.place,
            made(f"{work.path}.existing.server", server),
        )  # fmt: skip
        return {"type": "nfs", "existing": {"server": server, "export": "/"}}
    ledger.taken(kind, made(f"{work.path}.type", "efs"))
    mode: dict[str, Any] = {}
    if entry := settings.get("ThroughputMode"):
        word = str(entry.value)
        new = word if word in ("bursting", "elastic") else "elastic"
        mode = {"throughput_mode": new} if new != "elastic" else {}
        told = made(f"{work.path}.throughput_mode", new)
        if new != word:
            ledger.corrected(entry, told, "throughput can't be provisioned: it is elastic, and billed per byte")
        else:
            ledger.taken(entry, told)
    return {"type": "efs"} | mode | _key(work, settings)


def _lustre(work: _Work, kind: Entry, settings: Entry) -> dict[str, Any] | None:
    work.ledger.taken(kind, made(f"{work.path}.type", "lustre"))
    if entry := settings.get("FileSystemId"):
        region = work.where.left or work.where.region
        reason = "it already exists, and the file lacks its mount name"
        existing = f"id: {entry.value}, dns_name: {entry.value}.fsx.{region}.amazonaws.com, mount_name: ..."
        shown_by = f"aws fsx describe-file-systems --region {region} --file-system-ids {entry.value}"
        work.ledger.decide(entry, reason, _by_hand(work, "lustre", existing, shown_by), ("storage",))
        return None
    return {"type": "lustre"} | lustre_of(settings, work.ledger, work.place, work.where) | _key(work, settings)


def _volume(work: _Work, kind: Entry, settings: Entry) -> None:
    """Add a note on an existing volume, whose id does not show where it is mounted from."""
    reason = "it already exists, and the file does not say from where it is mounted"
    shown_by = "aws fsx describe-volumes, describe-storage-virtual-machines or describe-file-caches"
    work.ledger.decide(kind, reason, _by_hand(work, "nfs", "server: ..., export: ...", shown_by), ("storage",))
    for key in _IDS:
        if entry := settings.get(key):
            work.ledger.dropped(entry, "see its StorageType")


def _by_hand(work: _Work, type_: str, existing: str, shown_by: str) -> str:
    """Return which key the user must write for a file system that the file doesn't describe well enough."""
    mount = work.entry.plain("MountDir")
    told = f"write {work.path}: {{type: {type_}, mount: {mount}, existing: {{{existing}}}}}, and network.existing"
    return f"{told}; see {shown_by}"


def _key(work: _Work, settings: Entry) -> dict[str, Any]:
    entry = settings.get("KmsKeyId")
    if entry is None:
        return {}
    word = str(entry.value)
    if word.startswith("arn:"):
        work.ledger.taken(entry, made(f"{work.path}.kms_key", word))
        return {"kms_key": word}
    reason = "a key is given by its ARN here; without one, AWS's own key encrypts"
    work.ledger.decide(entry, reason, f"write {work.path}.kms_key: arn:aws:kms:...", work.place)
    return {}
