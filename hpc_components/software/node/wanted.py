"""What the description wants to be built."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/etc/hpc/software")
"""Folder of head and login nodes that the boot steps fill from the config bucket."""

PINNED = "easybuild.txt"
EASYCONFIGS = "easyconfigs"

_DIGITS = 12


@dataclass(frozen=True)
class Wanted:
    """What is to be built, and how."""

    directory: Path
    """Directory in a shared file system."""
    install: tuple[str, ...]
    """File names of easyconfigs."""
    queue: str
    account: str
    """Slurm account of the job, empty if the cluster has none."""
    minutes: int
    """Time limit of the job, 0 for that of the queue."""
    scratch: Path
    """Directory on a disk of the node, for files that the build needs only while it runs."""
    folder: Path
    """Folder that holds the easyconfigs and the pinned release."""

    @property
    def request(self) -> Path:
        """Folder of the job that builds just this. Its name depends on nothing but what is built."""
        return self.directory / "requests" / self._digest

    @property
    def _digest(self) -> str:
        parts = [(name, name.encode()) for name in self.install]
        parts += [(path.name, path.read_bytes()) for path in (self.folder / PINNED, *own_files(self.folder))]
        found = hashlib.sha256()
        for name, content in parts:
            found.update(f"{name} {len(content)}\n".encode() + content)
        return found.hexdigest()[:_DIGITS]


def own_files(folder: Path) -> list[Path]:
    """Return the easyconfigs of the description and the files beside them, sorted by name."""
    return sorted(folder.glob(f"{EASYCONFIGS}/*"))


def read_wanted(folder: Path = FOLDER) -> Wanted:
    """Return what the description wants. Raise OSError if it wants nothing to be built."""
    try:
        found = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OSError("the description has no software.easybuild, so there is nothing to build") from None
    return Wanted(
        directory=Path(found["directory"]),
        install=tuple(found["install"]),
        queue=found["queue"],
        account=found["account"],
        minutes=found["minutes"],
        scratch=Path(found["scratch"]),
        folder=folder,
    )
