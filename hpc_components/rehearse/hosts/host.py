"""Boots hosts made of namespaces, each with its own name, address, root file system, processes, clock and devices.

Hosts run inside a sandbox. Their network is a bridge, and their files are on a tmpfs, so the machine itself is not
changed. A host boots in a tenth of a second.
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
from hpc_components.people.node.document import Document, Person
from hpc_components.rehearse.hosts.accounts import account_files
from hpc_components.rehearse.hosts.service import Service, first_child

USER = "alice"
"""Name of the user created on every host if no users are specified."""

FIRST_ID = 12000
"""User id of the first user who is not described. No package or installer uses ids this high."""

ONE_USER = Document({USER: Person(FIRST_ID)})

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

_UNSHARE = ("unshare", "-m", "-u", "-i", "-n", "-p", "-T", "--fork", "--kill-child=KILL")

_ENTER = ("-m", "-u", "-i", "-n", "-p", "-T", "-r", "-w", "env", "-i", f"PATH={_PATH}")

_BRIDGE_MAC = "02:00:00:00:00:01"
"""A bridge without an address of its own takes the lowest one of its ports, which changes when hosts boot and end.
Hosts then lose what they send to the network's services for ten seconds, and a slurmctld that looks up a name in this
time answers no requests. Source: Linux, net/bridge/br_stp_if.c, br_stp_recalculate_bridge_id.
"""

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
    def __init__(self, host: str, command: Sequence[str], code: int, output: str) -> None:
        super().__init__(host, command, code, output)  # required for pickling
        self.host, self.command, self.code, self.output = host, command, code, output

    def __str__(self) -> str:
        words = self.output.strip() or "no output"
        return f"{self.host}: `{' '.join(self.command)}` failed with status {self.code}: {words}"


@dataclass(kw_only=True)
class Site:
    """Properties shared by all hosts: a network, a root file system, users and directories."""

    network: IPv4Network
    """Network that contains all of the cluster's addresses."""
    lower: Path
    """Root file system on which every host's file system is based. It is never modified."""
    cgroup: str
    """Name of the sandbox's cgroups, or empty if hosts have no cgroups."""
    people: Document = ONE_USER
    """Users and groups of every host, in place of those that this machine has under their names or ids."""
    domain: str = ""
    """DNS search domain of every host."""
    services: Sequence[str] = ()
    """Addresses outside the network's own range at which hosts reach services such as DNS and the metadata
    service."""
    top: Path = Path("/dev/shm")
    """Directory that contains the files of all hosts: a tmpfs that `open` mounts and that is invisible outside the
    mount namespace."""
    names: dict[str, IPv4Address] = field(default_factory=dict)
    """Maps names to addresses, for the /etc/hosts file of each host."""
    hosts: dict[str, "Host"] = field(default_factory=dict)
    """Running hosts, keyed by name."""
    inside: int | None = None
    """Id of a process in the site's namespaces (mount, net, pid), or None if the site is in this process's own
    namespaces."""

    def open(self) -> None:
        self._run("mount", "--make-rprivate", "/")
        self._run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(self.top))
        self.seen(self._image).mkdir()
        for path, text in account_files(self.seen(self.lower), self.people).items():
            self.install(path, text, mode=0o600 if path.endswith("shadow") else 0o644)
        _batch(
            "link set lo up",
            f"link add br0 address {_BRIDGE_MAC} type bridge",
            f"addr add {self.network[1]}/{self.network.prefixlen} dev br0",
            *(f"addr add {address}/32 dev br0" for address in self.services),
            "link set br0 up",
            within=self.inside,
        )

    def directory(self, name: str, mode: int = 0o755) -> Path:
        """Create a directory that hosts can share, and return its path."""
        path = self.top / "shared" / name
        self.seen(path).mkdir(parents=True, exist_ok=True)
        self.seen(path).chmod(mode)
        return path

    def seen(self, path: Path) -> Path:
        """Translate a path inside the site to one that this process can access."""
        return Path(f"/proc/{self.inside}/root") / path.relative_to("/") if self.inside else path

    @property
    def _image(self) -> Path:
        return self.top / "image"

    def install(self, path: str, content: str | bytes, *, mode: int = 0o644) -> None:
        """Add a file to the root file system of every host that boots from now on."""
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
        """Start a host. `binds` maps paths on the host to directories on this machine."""
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
            "USERS": "\n".join(f"{user} {one.uid}" for user, one in self.people.people.items()),
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
    """A running host, created by `Site.boot`."""

    def __init__(self, site: Site, name: str, address: IPv4Address, process: subprocess.Popen[bytes]) -> None:
        self._site, self._process = site, process
        self._started: list[subprocess.Popen[bytes]] = []
        self.name, self.address = name, address
        # if the host is started through nsenter, unshare is nsenter's child
        made_by = process.pid if site.inside is None else first_child(process.pid)
        self.pid = first_child(made_by)
        """Id of the host's first process, as seen inside the sandbox."""

    @property
    def root(self) -> Path:
        """Root directory of the host, as seen inside the sandbox. Absolute symbolic links in it point outside the
        host.
        """
        return Path(f"/proc/{self.pid}/root")

    def command(self, *command: str, user: str = "root") -> list[str]:
        line = enter_command(self.pid)
        if user != "root":
            line += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        return [*line, *command]

    def run(self, *command: str, user: str = "root", text: str = "", check: bool = True, timeout: float = 60) -> str:
        """Run a command with `text` as its input, and return its output.

        Raise CommandError if the command fails, unless `check` is False.
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
        line = self.command(*command, user=user)
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        self._started.append(process)
        return Service(process)

    def write(self, path: str, text: str | bytes, *, owner: str = "root", mode: int = 0o644) -> None:
        content = text if isinstance(text, bytes) else text.encode()
        script = 'mkdir -p "$(dirname "$1")" && cat >"$1" && chown "$2:" "$1" && chmod "$3" "$1"'
        line = self.command("sh", "-c", script, "-", path, owner, f"{mode:o}")
        subprocess.run(line, input=content, check=True)

    def read(self, path: str) -> str:
        try:
            return (self.root / path.removeprefix("/")).read_text(errors="replace")
        except OSError:
            return ""

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        for process in (self._process, *self._started):
            process.communicate()
        if self._site.hosts.get(self.name) is self:
            del self._site.hosts[self.name]

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def _connect(self) -> None:
        """Assign the address, and wait until the host has booted."""
        port, prefix = f"h{self.pid}", self._site.network.prefixlen
        _batch(
            f"link add {port} type veth peer name eth0 netns {self.pid}",
            f"link set {port} master br0 up",
            within=self._site.inside,
        )
        # derive the MAC address from the IP address, so that other hosts' ARP entries remain valid when the head node
        # is replaced
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
                raise RuntimeError(f"can't start host {self.name}: {self._process.stdout.read().decode()}")
            time.sleep(0.005)


def enter_command(pid: int) -> list[str]:
    """Return a command prefix that enters the namespaces of process `pid`. Append `[NAME=value ...] command` to
    it.
    """
    return ["nsenter", "-t", str(pid), *_ENTER]


def _batch(*lines: str, within: int | None = None) -> None:
    enter = ["nsenter", "-t", str(within), "-n"] if within else []
    subprocess.run([*enter, "ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
