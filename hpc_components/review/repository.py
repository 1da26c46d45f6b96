"""Reads the commits of a git repository without changing the repository."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hpc_components.errors import HpcError
from hpc_components.wording import did_you_mean


class SourceError(HpcError):
    """Raised if a side of the comparison is missing or unusable. The message gives the remedy."""


@dataclass(frozen=True)
class Repository:
    """A git repository whose work tree is at `root`."""

    root: Path

    def commit(self, ref: str) -> str | None:
        """Return the full id of the commit that `ref` names, or None if there is no such commit."""
        done = _git(self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return done.stdout.strip() if done.returncode == 0 else None

    def unknown(self, ref: str) -> SourceError:
        known = self._output("for-each-ref", "--format=%(refname:short)").split()
        hint = did_you_mean(ref, known, "list them with `git branch --all` and `git tag`")
        return SourceError(f"there is no commit, branch or tag {ref!r} in {self.root}; {hint}")

    def differing(self, one: str, other: str | None) -> frozenset[str]:
        """Return the paths, relative to `root`, of all files that differ between two commits.

        If `other` is None, compare the first commit with the work tree.
        """
        names = self._output("diff", "--name-only", "--no-renames", "-z", one, *([other] if other else []))
        if other is None:
            names += self._output("ls-files", "--others", "--exclude-standard", "-z", "--full-name")
        return frozenset(filter(None, names.split("\0")))

    @contextmanager
    def checked_out(self, commit: str) -> Generator[Path]:
        """Provide a temporary folder with a commit's files. The repository's index and worktrees don't change."""
        with TemporaryDirectory(prefix="hpc-diff-", dir=_scratch()) as folder:
            index, tree = Path(folder) / "index", Path(folder) / "tree"
            own = os.environ | {"GIT_INDEX_FILE": str(index)}
            self._output("read-tree", commit, env=own)
            self._output("checkout-index", "--all", f"--prefix={tree}/", env=own)
            yield tree

    def _output(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        done = _git(self.root, *arguments, env=env)
        if done.returncode:
            raise SourceError(f"git {arguments[0]} failed in {self.root}: {done.stderr.strip()}")
        return done.stdout


def find_repository(start: Path) -> Repository:
    """Return the repository that contains `start`. Raise SourceError if `start` is not in a repository."""
    done = _git(start, "rev-parse", "--show-toplevel", env=os.environ | {"LC_ALL": "C"})
    if foreign := re.search(r"dubious ownership in repository at '(.+)'", done.stderr):
        raise SourceError(
            f"{foreign[1]} belongs to another user, as is usual in workflow containers, so git does not trust "
            f"it; if you trust it, run `git config --global --add safe.directory {shlex.quote(foreign[1])}`"
        )
    if done.returncode:
        raise SourceError(
            f"{start} is not in a git repository, so there are no refs to compare; compare plan files instead "
            "(create them with `hpc preview STACK --format json --out FILE`)"
        )
    return Repository(Path(done.stdout.removesuffix("\n")))


_IN_MEMORY = Path("/dev/shm")
"""Linux's in-memory file system. Creating a file there is ten times as fast as on a disk."""

_FREE_BYTES = 2 * 2**30
"""Minimum free space, in bytes, for using the in-memory file system. In containers, that file system often has only
64 MiB."""


def _scratch() -> Path | None:
    """Return the folder for temporary copies, or None for Python's default folder. If `TMPDIR` is set, the default is
    used.
    """
    is_free = "TMPDIR" not in os.environ and os.access(_IN_MEMORY, os.W_OK)
    return _IN_MEMORY if is_free and shutil.disk_usage(_IN_MEMORY).free >= _FREE_BYTES else None


def _git(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, errors="replace", check=False
        )
    except FileNotFoundError:
        raise SourceError("git is not installed; install git, or specify plan files instead of refs") from None
