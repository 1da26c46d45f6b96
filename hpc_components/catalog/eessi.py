"""Facts about EESSI, the European Environment for Scientific Software Installations: versions, servers, and the
client of CernVM-FS, through which nodes read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog.by_kind import RecordsByKind

REPOSITORY = "software.eessi.io"

_RECORDS = RecordsByKind("eessi", __file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EessiVersion:
    """A version of EESSI in production. `archs` are architectures of CPUs, as in machine types."""

    name: str
    archs: Sequence[str]
    toolchains: Sequence[str]
    source: str
    as_of: str


@cache
def eessi_versions() -> tuple[EessiVersion, ...]:
    """Return all versions, the newest last."""
    found = (EessiVersion(**record) for record in _RECORDS.records("version"))
    return tuple(sorted(found, key=lambda version: version.name))


def cvmfs_release_package(os: str) -> str | None:
    """Return the address of the package that adds CernVM-FS's package archive to an operating system, or None if none
    is known."""
    return next((one["release_package"] for one in _RECORDS.records("client") if one["os"] == os), None)


def cvmfs_systems() -> tuple[str, ...]:
    """Return the operating systems for which there is a package archive of CernVM-FS."""
    return tuple(one["os"] for one in _RECORDS.records("client"))


def eessi_servers() -> tuple[str, ...]:
    """Return the addresses of EESSI's public servers, with CernVM-FS's placeholder for the repository."""
    return tuple(one["url"] for one in _RECORDS.records("server"))


def eessi_key() -> str:
    """Return the public key with which EESSI's contents are signed, in PEM."""
    (record,) = _RECORDS.records("key")
    text = record["base64"]
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN PUBLIC KEY-----", *lines, "-----END PUBLIC KEY-----", ""])
