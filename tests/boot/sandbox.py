"""A root file system to run single steps in: changes go to a layer of its own, commands can be stood in for."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_ENTER = """
set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$AT/upper,workdir=$AT/work" "$AT/root"
mount --rbind /dev "$AT/root/dev"
mount -t proc proc "$AT/root/proc"
mount -t sysfs sysfs "$AT/root/sys"
cd "$AT/root"
# not as process 1, as which systemd-analyze tells the kernel what is wrong
chroot . bash -c 'cd /opt/hpc/config && "$@"; exit $?' - "$@"
exit $?
"""

_STEP = 'source common/node.sh; source "$1"; "$2"'

_SYSTEMCTL = """#!/bin/bash
# Remembers what runs, in the order in which it was started.
case $1 in
  restart | start) grep -qxs "$2" /running || echo "$2" >>/running ;;
  show) if grep -qxs "${!#}" /running; then printf 'active\\nyes\\n'; else printf 'inactive\\nyes\\n'; fi ;;
  is-active) grep -qxs "${!#}" /running ;;
  cat) exit 1 ;;
esac
"""

_WAITS = """
import time

now = [time.monotonic()]
time.monotonic = lambda: now[0]
time.sleep = lambda seconds: now.__setitem__(0, now[0] + seconds)
"""


@dataclass
class Sandbox:
    """Needs root. What a step writes is found below `root`."""

    at: Path
    """An empty directory."""
    lower: tuple[Path, ...]
    """Layers of the root file system, the upper ones first; never written to."""
    config: Mapping[str, str]
    """The files that the stub would have fetched."""
    role: str = "head"
    environment: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    """The command that enters another network, if any."""

    def __post_init__(self) -> None:
        for folder in ("upper/opt/hpc/config", "upper/fakes", "upper/run/hpc", "work", "root"):
            (self.at / folder).mkdir(parents=True)
        for path, text in self.config.items():
            self.write(f"opt/hpc/config/{path}", text)
        self.fake("systemctl", _SYSTEMCTL)
        self.fake("sleep", "#!/bin/true\n")  # loops that wait call it hundreds of times

    @property
    def root(self) -> Path:
        """What was written."""
        return self.at / "upper"

    def write(self, path: str, text: str) -> None:
        """Put a file in."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self, path: str) -> str:
        """A file that was written."""
        return (self.root / path).read_text()

    def fake(self, command: str, script: str) -> None:
        """Let `command` be this shell script."""
        self.write(f"fakes/{command}", script if script.startswith("#!") else f"#!/bin/bash\n{script}\n")
        (self.root / "fakes" / command).chmod(0o755)

    def impatient(self) -> None:
        """Let loops of shells that wait end after a twelfth of their tries: each is the same as the one before. Let
        programs in Python wait without that time passes."""
        self.write("impatient", "sleep() { try=$((try + 11)); }\n")
        self.environment["BASH_ENV"] = "/impatient"
        self.write("programs/sitecustomize.py", _WAITS)
        self.environment["PYTHONPATH"] = "/programs"

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the directory of the configuration; both its outputs are one."""
        entering, how = self.process(*command)
        return subprocess.run(entering, **how, check=False, timeout=60)

    def process(self, *command: str) -> tuple[list[str], dict[str, Any]]:
        """The command that runs another here, and what else `subprocess` needs."""
        settings = {
            "PATH": "/fakes:/usr/sbin:/usr/bin:/sbin:/bin",
            "LOWER": ":".join(map(str, self.lower)),
            "AT": str(self.at),
            "HOME": "/root",
            "HPC_ROLE": self.role,
            "HPC_CONFIG": "lab-config-1a2b3c",
            "HPC_REGION": "us-east-2",
            **self.environment,
        }
        unshare = ("unshare", "-m", "-p", "-u", "--fork", "--kill-child=KILL", "bash", "-c", _ENTER, "-")
        how = {
            "env": settings,
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "text": True,
        }
        return [*self.inside, *unshare, *command], how

    def step(self, file: str, function: str) -> str:
        """Run a step, which must succeed; what it says."""
        run = self._step(file, function, "")
        assert run.returncode == 0, run.stdout
        return run.stdout

    def failing(self, file: str, function: str) -> str:
        """Run a step, which must fail; the reason that is told."""
        run = self._step(file, function, "")
        assert run.returncode != 0, run.stdout
        return run.stdout.strip().splitlines()[-1]

    def then(self, file: str, function: str, after: str) -> str:
        """Run a step and, while what it mounted is there, another script; what both say."""
        run = self._step(file, function, f"; {after}")
        assert run.returncode == 0, run.stdout
        return run.stdout

    def _step(self, file: str, function: str, after: str) -> subprocess.CompletedProcess[str]:
        shell = ("bash", "-Eeuo", "pipefail", "-O", "inherit_errexit", "-c", _STEP + after)
        return self.run(*shell, "hpc-boot", file, function)
