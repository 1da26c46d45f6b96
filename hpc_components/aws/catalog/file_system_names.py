"""What the DNS name of a file system of FSx or EFS says."""

import re
from dataclasses import dataclass

_NAME = re.compile(r"([a-z0-9-]+\.)?(fs-[0-9a-f]+)\.(fsx|efs)\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?", re.IGNORECASE)


@dataclass(frozen=True)
class FileSystemName:
    """One DNS name. Source: FSx for Lustre, OpenZFS and EFS user guides, mounting."""

    before: str
    """What stands before the id: a zone, or the storage virtual machine of ONTAP."""
    id: str
    service: str
    region: str


def read_file_system_name(host: str) -> FileSystemName | None:
    """A host's name, taken apart; None if it is none of FSx or EFS."""
    match = _NAME.fullmatch(host)
    return FileSystemName((match[1] or "").lower(), *(match[part].lower() for part in (2, 3, 4))) if match else None


def is_file_system_name(text: str) -> bool:
    """Whether a text is the id of a file system of FSx or EFS, the beginning of its name, or all of it."""
    return text.startswith("fs-") or read_file_system_name(text) is not None
