"""Folders of a run on the shared file systems: made before, removed after, whatever happens."""

import base64
import io
import shlex
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpc_components.accept.checks.files import MARKER
from hpc_components.accept.cluster import AcceptanceError, Cluster
from hpc_components.accept.job import job_name

_PREFIX = "hpc-accept-"

_MAKE = """\
umask 022
for mount in {mounts}; do
  base=$mount
  case "$HOME/" in "$mount"/*) base=$HOME ;; esac
  find "$base" -maxdepth 1 -name '{prefix}*' -user "$(id -un)" -mtime +0 -exec rm -rf {{}} + 2>/dev/null
  if mkdir "$base/{name}" 2>/dev/null && echo {token} >"$base/{name}/{marker}"; then
    echo "folder $mount $base/{name}"
  else
    echo "closed $mount"
  fi
done
"""


class NoWorkspaceError(AcceptanceError):
    """Raised if the user can write nowhere that compute nodes see."""


@dataclass(frozen=True, kw_only=True)
class Workspace:
    folders: Mapping[str, str]
    """Folder of the run by mount point."""
    closed: Sequence[str]
    """Mount points where the user may not write."""

    @property
    def main(self) -> str:
        """Folder with the job's scripts and output: in the home directory, if that is shared."""
        paths = [*self.folders.values()]
        return next((path for path in paths if path.startswith("/home/")), paths[0])


def make_workspace(cluster: Cluster, mounts: Sequence[str], user: str, token: str) -> Workspace:
    """Make the folders, and remove those that a killed run left more than a day ago.

    Raise NoWorkspaceError if the user has no folder that compute nodes see.
    """
    script = _MAKE.format(
        mounts=shlex.join(mounts), prefix=_PREFIX, name=f"{_PREFIX}{user}-{token}", token=token, marker=MARKER
    )
    lines = cluster.run(script, place=cluster.places[0], user=user).text.splitlines()
    found = {words[1]: words[2] for line in lines if len(words := line.split(" ", 2)) == 3 and words[0] == "folder"}
    closed = [line.removeprefix("closed ") for line in lines if line.startswith("closed ")]
    if not found:
        said = f": {lines[-1]}" if lines and not closed else ""
        raise NoWorkspaceError(
            f"account {user} can write to no file system that compute nodes mount"
            f" ({', '.join(mounts) or 'the description has none'}){said}; use --user with a person of the cluster"
        )
    return Workspace(folders=found, closed=closed)


def packed(texts: Mapping[str, str]) -> str:
    """Return files, by name, as one text for `unpack_into`: each call of its own would be a connection."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in texts.items():
            content = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return base64.b64encode(out.getvalue()).decode()


def unpack_into(folder: str) -> str:
    """Return Bash that makes the folder, and the files that it reads from standard input in it."""
    quoted = shlex.quote(folder)
    return f"mkdir -p {quoted} && base64 -d | tar -x -m -f - -C {quoted}"


def remove_workspace(cluster: Cluster, user: str, workspace: Workspace, token: str) -> None:
    """Cancel what is left of the run's jobs, and remove its folders."""
    folders = shlex.join(workspace.folders.values())
    script = f'scancel --quiet --name={job_name(token)} --user="$(id -un)" 2>/dev/null; rm -rf -- {folders}'
    cluster.run(script, place=cluster.places[0], user=user)
