"""Hosts made of namespaces: each has its own name, address, root file system, processes, clock and devices.

Hosts live inside a sandbox, in which their network is a bridge and their files are on a tmpfs. The machine itself is
not changed, and a host takes a tenth of a second to boot.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import IO

from hpc_components.errors import HpcError
from hpc_components.rehearse.hosts.service import Service, first_child

USER = "alice"
"""The default user on hosts if no users are named."""

_FIRST_ID = 12000
"""User id of the first normal user. No package or installer uses ids this high."""

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

_UNSHARE = ("unshare", "-m", "-u", "-i", "-n", "-p", "-T", "--fork", "--kill-child=KILL")

_ENTER = ("-m", "-u", "-i", "-n", "-p", "-T", "-r", "-w", "env", "-i", f"PATH={_PATH}")

_DEVICES = (
    ("/dev/null", 1, 3),
    ("/dev/zero", 1, 5),
    ("/dev/full", 1, 7),
    ("/dev/random", 1, 8),
    ("/dev/urandom", 1, 9),
    ("/dev/tty", 5, 0),
)
"""Devices on every host (Linux, admin-guide/devices.txt)."""

Device = tuple[str, int, int]
"""(path, major number, minor number) of a character device."""


class CommandError(HpcError, RuntimeError):
    """A command on a host failed."""

    def __init__(self, host: str, command: Sequence[str], code: int, output: str) -> None:
        super().__init__(host, command, code, output)  # required by pickle
        self.host, self.command, self.code, self.output = host, command, code, output

    def __str__(self) -> str:
        """Return one line for users."""
        words = self.output.strip() or "no output"
        return f"{self.host}: `{' '.join(self.command)}` failed with status {self.code}: {words}"


@dataclass(kw_only=True)
class Site:
    """Common properties of hosts: a network, a root file system, users, and shared directories."""

    network: IPv4Network
    """The network that contains all addresses of the cluster."""
    lower: Path
    """Root file system on which all hosts' file systems are based. It is never written to."""
    cgroup: str
    """Name of the sandbox's cgroups, or empty if hosts get none."""
    users: Sequence[str] = (USER,)
    """Normal users, which are the same on every host."""
    domain: str = ""
    """Search domain of every host."""
    services: Sequence[str] = ()
    """Addresses, not in the network's own range, at which hosts can reach services such as DNS and metadata."""
    top: Path = Path("/dev/shm")
    """Directory that contains all files: a tmpfs, mounted by `open`, that is invisible from outside."""
    names: dict[str, IPv4Address] = field(default_factory=dict)
    """Maps names to addresses, as listed in every host's hosts file."""
    hosts: dict[str, "Host"] = field(default_factory=dict)
    """Running hosts, keyed by name."""
    inside: int | None = None
    """Id of a process whose namespaces (mount, net, pid) contain the site, or None if this process's own namespaces
    do."""

    def open(self) -> None:
        """Create the network and the directories."""
        self._run("mount", "--make-rprivate", "/")
        self._run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(self.top))
        self.seen(self._image).mkdir()
        _batch(
            "link set lo up",
            "link add br0 type bridge",
            f"addr add {self.network[1]}/{self.network.prefixlen} dev br0",
            *(f"addr add {address}/32 dev br0" for address in self.services),
            "link set br0 up",
            within=self.inside,
        )

    def directory(self, name: str, mode: int = 0o755) -> Path:
        """Return a directory called `name` that hosts can share."""
        path = self.top / "shared" / name
        self.seen(path).mkdir(parents=True, exist_ok=True)
        self.seen(path).chmod(mode)
        return path

    def seen(self, path: Path) -> Path:
        """Return the path at which this process can access the site's `path`."""
        return Path(f"/proc/{self.inside}/root") / path.relative_to("/") if self.inside else path

    @property
    def _image(self) -> Path:
        return self.top / "image"

    def install(self, path: str, content: str | bytes, *, mode: int = 0o644) -> None:
        """Put a file into the root file system of every host that boots from now on."""
        file = self.seen(self._image) / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        file.chmod(mode)

    def boot(
        self,
        name: str,
        address: IPv4Address,
        *,
        binds: Mapping[str, Path] | None = None,
        devices: Sequence[Device] = (),
    ) -> "Host":
        """Start a host. `binds` maps paths on the host to directories of this machine."""
        at = self.top / "hosts" / f"{name}-{time.monotonic_ns()}"
        self.seen(at).mkdir(parents=True)
        known = {"localhost": IPv4Address("127.0.0.1"), **self.names, name: address}
        surroundings = {
            "NAME": name,
            "AT": str(at),
            "LOWER": f"{self._image}:{self.lower}",
            "CGROUP": self.cgroup,
            "BINDS": "\n".join(f"{source} {target}" for target, source in (binds or {}).items()),
            "DEVICES": "\n".join(f"{path} {major} {minor}" for path, major, minor in (*_DEVICES, *devices)),
            "USERS": "\n".join(f"{user} {_FIRST_ID + number}" for number, user in enumerate(self.users)),
            "HOSTS": "\n".join(f"{known[each]} {each}" for each in known),
            "DOMAIN": self.domain,
        }
        uptime = int(time.clock_gettime(time.CLOCK_BOOTTIME))
        with as_file(files("hpc_components.rehearse.hosts") / "host_init.sh") as script:
            process = subprocess.Popen(
                [*self._enter, *_UNSHARE, f"--boottime=-{uptime}", "bash", str(script)],
                env={**surroundings, "PATH": _PATH},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            host = Host(self, name, address, process)
            host._connect()
        self.hosts[name] = host
        return host

    @property
    def _enter(self) -> Sequence[str]:
        return ("nsenter", "-t", str(self.inside), "-m", "-n", "-p") if self.inside else ()

    def _run(self, *command: str) -> None:
        subprocess.run([*self._enter, *command], check=True)


class Host:
    """A running host, started by `Site.boot`."""

    def __init__(self, site: Site, name: str, address: IPv4Address, process: subprocess.Popen[bytes]) -> None:
        self._site, self._process = site, process
        self._started: list[subprocess.Popen[bytes]] = []
        self.name, self.address = name, address
        made_by = process.pid if site.inside is None else first_child(process.pid)  # not nsenter, but its child
        self.pid = first_child(made_by)
        """Process id of the host's first process, as seen in the sandbox."""

    @property
    def root(self) -> Path:
        """The host's root directory, as seen in the sandbox. Beware of absolute symbolic links in it."""
        return Path(f"/proc/{self.pid}/root")

    def command(self, *command: str, user: str = "root") -> list[str]:
        """Return the command line that runs `command` on the host."""
        line = enter_command(self.pid)
        if user != "root":
            line += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        return [*line, *command]

    def run(self, *command: str, user: str = "root", text: str = "", check: bool = True, timeout: float = 60) -> str:
        """Run a command with `text` as its input, and return its output.

        Raise CommandError if it fails and `check` is set.
        """
        done = subprocess.run(
            self.command(*command, user=user),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
        if check and done.returncode:
            raise CommandError(self.name, command, done.returncode, done.stdout)
        return done.stdout

    def start(self, *command: str, user: str = "root", output: IO[bytes] | int = subprocess.DEVNULL) -> Service:
        """Start a command in the background."""
        line = self.command(*command, user=user)
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        self._started.append(process)
        return Service(process)

    def write(self, path: str, text: str | bytes, *, owner: str = "root", mode: int = 0o644) -> None:
        """Write a file of the host, creating the directories above it."""
        content = text if isinstance(text, bytes) else text.encode()
        script = 'mkdir -p "$(dirname "$1")" && cat >"$1" && chown "$2:" "$1" && chmod "$3" "$1"'
        line = self.command("sh", "-c", script, "-", path, owner, f"{mode:o}")
        subprocess.run(line, input=content, check=True)

    def read(self, path: str) -> str:
        """Return the text of a file of the host, or an empty string if the file does not exist."""
        try:
            return (self.root / path.removeprefix("/")).read_text(errors="replace")
        except OSError:
            return ""

    def kill(self) -> None:
        """Power the host off, without a shutdown."""
        os.kill(self.pid, signal.SIGKILL)
        for process in (self._process, *self._started):
            process.communicate()
        if self._site.hosts.get(self.name) is self:
            del self._site.hosts[self.name]

    @property
    def alive(self) -> bool:
        """Whether the host is running."""
        return self._process.poll() is None

    def _connect(self) -> None:
        """Assign the address, and wait until the host's init is done."""
        port, prefix = f"h{self.pid}", self._site.network.prefixlen
        _batch(
            f"link add {port} type veth peer name eth0 netns {self.pid}",
            f"link set {port} master br0 up",
            within=self._site.inside,
        )
        # derive the card from the address, so that others' ARP entries stay valid when the head node is replaced
        card = ":".join(f"{byte:02x}" for byte in (2, 0, *self.address.packed))
        _batch(
            f"link set eth0 address {card}",
            f"addr add {self.address}/{prefix} dev eth0",
            "link set eth0 up",
            *(f"route add {address} dev eth0" for address in self._site.services),
            within=self.pid,
        )
        while not (self.root / "run/host-is-made").exists():
            if not self.alive:
                assert self._process.stdout
                raise RuntimeError(f"cannot start host {self.name}: {self._process.stdout.read().decode()}")
            time.sleep(0.005)


def enter_command(pid: int) -> list[str]:
    """Return the beginning of a command line that runs `[NAME=value ...] command` on the host of process `pid`."""
    return ["nsenter", "-t", str(pid), *_ENTER]


def _batch(*lines: str, within: int | None = None) -> None:
    """Run several `ip` commands at once, in the network namespace of process `within`."""
    enter = ["nsenter", "-t", str(within), "-n"] if within else []
    subprocess.run([*enter, "ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
