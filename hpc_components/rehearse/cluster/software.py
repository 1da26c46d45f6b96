"""Brings the software of a description to a rehearsed cluster, by the steps and the program that nodes use."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from hpc_components.boot.files import boot_files
from hpc_components.errors import HpcError
from hpc_components.rehearse.hosts.host import Host
from hpc_components.rehearse.result import Change
from hpc_components.software.files import WANTED, pinned_easybuild
from hpc_components.software.pyxis_files import FACTS
from hpc_components.spec.cluster import ClusterSpec

CONFIG = "/opt/hpc/config"
"""Directory of a node for the files of the config bucket."""

PROGRAM = "/opt/hpc/bin/hpc-software"

_STEP = f'cd {CONFIG} && mkdir -p /run/hpc && source common/node.sh && source "$1" && "$2"'

_WITHOUT_TOOLCHAIN = re.compile(r"^toolchain\s*=\s*SYSTEM\b", re.MULTILINE)


class DownloadError(HpcError):
    """Raised if EasyBuild's packages can't be downloaded. The message has the remedy."""


@dataclass(frozen=True, kw_only=True)
class Software:
    """The software of a cluster, adapted to a rehearsal."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Files of the config bucket, keyed by path. Empty if the description names no software."""
    directory: str = ""
    """Directory into which a job builds, or empty if it builds nothing."""
    downloads: Path | None = None
    """Folder of this machine with the packages of EasyBuild, if something is built."""

    def bring(self, host: Host, role: str) -> None:
        """Run the steps that concern software on a host that has just booted."""
        if not self.files:
            return
        for path, text in self.files.items():
            host.write(f"{CONFIG}/{path}", text)
        _step(host, role, "common/modules.sh", "module_path")
        _step(host, role, "common/software.sh", "software")

    def submit(self, head: Host) -> int:
        """Submit the job that builds the software, as the head node's service does. Return the job's id."""
        _step(head, "head", "common/software.sh", "build_directory")
        assert self.downloads
        shutil.copytree(self.downloads, head.root / self.directory.removeprefix("/") / "downloads")
        said = head.run(PROGRAM, "submit")
        return int(re.findall(r"submitted job (\d+)", said)[0])


def adapted_software(cluster: ClusterSpec) -> tuple[Software, tuple[Change, ...]]:
    """Return the software that a rehearsal brings, and what differs from the real cluster."""
    if cluster.software is None:
        return Software(), ()
    files = dict(boot_files(cluster))
    kept = {path: text for path, text in files.items() if path.startswith(("common/", "compute/"))}
    changes = (*_without_eessi(files), *_without_pyxis(files))
    if WANTED not in files:
        return Software(files=kept), changes
    wanted = json.loads(files[WANTED])
    own = {path.rpartition("/")[2]: text for path, text in files.items() if "/easyconfigs/" in path}
    here = [name for name in wanted["install"] if _WITHOUT_TOOLCHAIN.search(own.get(name, ""))]
    if here != wanted["install"]:
        before, after = (f'"install": {json.dumps(names)}' for names in (wanted["install"], here))
        why = "hosts of a rehearsal have no internet access, and build only your own easyconfigs without a toolchain"
        changes += (Change(file=WANTED, before=before, after=after, why=why),)
    kept[WANTED] = json.dumps(wanted | {"install": here}, indent=1) + "\n"
    if not here:
        return Software(files=kept), changes
    return Software(files=kept, directory=wanted["directory"], downloads=_downloads()), changes


def _without_eessi(files: Mapping[str, str]) -> tuple[Change, ...]:
    path = "common/eessi/facts.env"
    if path not in files:
        return ()
    why = "hosts of a rehearsal have no internet access, so EESSI is not mounted"
    return (Change(file=path, before=files[path].splitlines()[0], after="", why=why),)


def _without_pyxis(files: Mapping[str, str]) -> tuple[Change, ...]:
    if FACTS not in files:
        return ()
    why = "hosts of a rehearsal have no internet access, so srun has no --container-image"
    return (Change(file=FACTS, before=files[FACTS].splitlines()[0], after="", why=why),)


def _downloads() -> Path:
    """Return a folder of this machine with the packages of EasyBuild, which pip downloads once."""
    pinned = pinned_easybuild()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hpc_components"
    folder = cache / f"easybuild-{sha256(pinned.encode()).hexdigest()[:12]}"
    if folder.is_dir():
        return folder
    new = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    (new / "needed.txt").write_text(pinned)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--no-deps"]
    command += [f"--dest={new}", f"--requirement={new / 'needed.txt'}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(new)
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise DownloadError(
            f"pip can't download EasyBuild, which builds the software of this cluster: {' '.join(said)}; correct "
            "this, or rehearse without software.easybuild"
        )
    if not folder.is_dir():  # another rehearsal may have been faster
        new.rename(folder)
    return folder


def _step(host: Host, role: str, file: str, function: str) -> None:
    options = ("-Eeuo", "pipefail", "-O", "inherit_errexit")
    host.run("env", f"HPC_ROLE={role}", "bash", *options, "-c", _STEP, "hpc-boot", file, function)
