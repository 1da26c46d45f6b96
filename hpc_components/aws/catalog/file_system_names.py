import re
from dataclasses import dataclass

_NAME = re.compile(r"([a-z0-9-]+\.)?(fs-[0-9a-f]+)\.(fsx|efs)\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?", re.IGNORECASE)


@dataclass(frozen=True)
class FileSystemName:
    """The parts of a file system's DNS name. Source: the sections on mounting in the user guides for FSx for Lustre,
    FSx for OpenZFS and EFS.
    """

    before: str
    """Labels before the id. They identify a zone or an ONTAP storage virtual machine."""
    id: str
    service: str
    region: str


def read_file_system_name(host: str) -> FileSystemName | None:
    match = _NAME.fullmatch(host)
    return FileSystemName((match[1] or "").lower(), *(match[part].lower() for part in (2, 3, 4))) if match else None


def is_file_system_name(text: str) -> bool:
    """Return whether `text` is the id or DNS name of an FSx or EFS file system, or the beginning of such a name."""
    return text.startswith("fs-") or read_file_system_name(text) is not None
