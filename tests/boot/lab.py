"""Machines that really boot: systemd as process 1, cloud-init, an own network, on a root file system of Debian.

Their network is that of a rehearsal's hosts; when we end, however that may be, every process, mount and network ends.
Their empty cgroups, if we are killed, go with the next lab or rehearsal.
"""

import ctypes
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from hpc_components.rehearse.hosts import cgroups
from hpc_components.rehearse.hosts.host import Site
from tests.namespaces import namespaces

T = TypeVar("T")

NETWORK = IPv4Network("10.90.0.0/16")
GATEWAY = str(NETWORK[1])
METADATA = "169.254.169.254"
ELSEWHERE, ELSEWHERE_ADDRESS = "packages.example.org", "192.0.2.7"
"""A name that is none of the cluster's."""
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_NEWNET = 0x40000000  # CLONE_NEWNET of sched.h

_NAME_SERVER = (
    "dnsmasq", "--keep-in-foreground", "--conf-file=", "--pid-file=", "--user=root", "--no-resolv", "--no-hosts",
    "--bind-interfaces",
    f"--address=/{ELSEWHERE}/{ELSEWHERE_ADDRESS}", "--address=/#/",
    "--synth-domain=us-east-2.compute.internal,10.90.0.0/16,ip-",
)  # fmt: skip
"""The cloud's: it knows addresses, and names of elsewhere, but no node."""

_BOOT = """
set -eu
mkdir -p "$AT/upper" "$AT/work" "$AT/root"
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$AT/upper,workdir=$AT/work" "$AT/root"
cd "$AT/root"
rm -f usr/sbin/policy-rc.d etc/resolv.conf
if [ "$SEALED" = no ]; then
  # as images must be made: an enabled slurmd without a configuration holds cloud-init up for a minute and a half
  for unit in slurmd slurmctld slurmdbd mariadb munge chrony; do
    rm -f "etc/systemd/system/multi-user.target.wants/$unit.service"
  done
  : >etc/machine-id
fi
echo "nameserver $NAME_SERVER" >etc/resolv.conf
echo '127.0.0.1 localhost' >etc/hosts
echo 'alice:x:12000:12000::/home/alice:/bin/bash' >>etc/passwd
echo 'alice:x:12000:' >>etc/group
echo 'alice:*:20000:0:99999:7:::' >>etc/shadow
install -d -o 12000 -g 12000 home/alice
mkdir -p var/lib/cloud/seed/nocloud etc/systemd/system.conf.d etc/cloud/cloud.cfg.d
echo '{network: {config: disabled}, datasource_list: [NoCloud, None]}' >etc/cloud/cloud.cfg.d/99-lab.cfg
# what takes long and means nothing to our nodes
cat >etc/cloud/cloud.cfg.d/99-short.cfg <<END
ssh_genkeytypes: [ed25519]
cloud_config_modules: []
cloud_final_modules: [scripts_user, final_message]
END
for unit in e2scrub_reap ldconfig lvm2-monitor blk-availability; do
  ln -sf /dev/null "etc/systemd/system/$unit.service"
done
echo "instance-id: $ID" >var/lib/cloud/seed/nocloud/meta-data
printf '[Manager]\\nDefaultEnvironment=%s\\n' "$ENVIRONMENT" >etc/systemd/system.conf.d/lab.conf
cat >var/lib/cloud/seed/nocloud/user-data

unshare -n sleep infinity & net=$!
until [ "$(readlink /proc/$net/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
link=v${ADDRESS##*.}
ip link del "$link" 2>/dev/null || true # of a machine that had the address before
ip link add "$link" type veth peer name eth0 netns $net
ip link set "$link" master br0 up
nsenter -t $net -n sh -ec "ip link set lo up; ip addr add $ADDRESS/16 dev eth0; ip link set eth0 up
  ip route add default via $GATEWAY"

# in a group that machines share, one's systemd removes what another's is about to use: "Failed to spawn executor"
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd /sys/fs/cgroup/freezer; do
  [ -e $hierarchy/cgroup.procs ] || continue
  mkdir -p "$hierarchy/$CGROUP"
  echo $$ >"$hierarchy/$CGROUP/cgroup.procs"
done
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 exec unshare -T --boottime=-$UPTIME --fork --kill-child=KILL \\
  systemd-nspawn -q -D "$AT/root" --machine="lab-${ADDRESS##*.}" --register=no --keep-unit \\
  --network-namespace-path=/proc/$net/ns/net --resolv-conf=off --timezone=off --console=pipe --link-journal=no \\
  --capability=all --drop-capability=CAP_SYS_TIME --kill-signal=SIGKILL $BINDS -b </dev/null
"""
"""CAP_SYS_TIME is left out because the clock is the machine's own."""


def missing(*layers: Path) -> str:
    """What the machines need and is not here; empty if all is."""
    if os.geteuid() != 0:
        return "needs root"
    tools = [tool for tool in ("systemd-nspawn", "unshare", "nsenter", "ip", "dnsmasq") if shutil.which(tool) is None]
    if tools:
        return f"needs {', '.join(tools)} (apt-get install systemd-container util-linux iproute2 dnsmasq-base)"
    absent = [str(layer) for layer in layers if not layer.is_dir()]
    return f"needs {', '.join(absent)} (make system makes them)" if absent else ""


@dataclass
class Machine:
    """A machine that runs."""

    address: str
    root: Path
    """Its root directory, as the supervisor sees it."""
    process: subprocess.Popen[bytes]
    init: int
    """Process id of its systemd, as we see it."""

    def run(self, *command: str, user: str = "root", check: bool = True, timeout: float = 120) -> str:
        """What the command writes, run inside; as another user, from a login shell."""
        if user != "root":
            command = ("runuser", "-l", user, "-c", shlex.join(command))
        run = subprocess.run(
            ["nsenter", "-t", str(self.init), "-a", "-r", "-w", "env", "-i", f"PATH={_PATH}", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert not check or run.returncode == 0, f"{' '.join(command)}: {run.returncode}: {run.stdout}"
        return run.stdout

    def seen(self, path: str) -> Path:
        """A path inside as we see it, also below what the machine mounted."""
        return Path(f"/proc/{self.init}/root{path}")

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def halt(self) -> None:
        """Shut down, as when the cloud stops an instance."""
        self.run("systemctl", "--no-block", "poweroff")
        self.process.wait(120)

    def kill(self) -> None:
        """Power off, at once."""
        os.kill(self.init, 9)
        self.process.wait(60)


@dataclass
class Lab:
    """A network with machines on it."""

    lower: tuple[Path, ...]
    """Layers of the root file system under every machine's own, the upper ones first; never written to."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables of every service of every machine."""
    name_server: str = GATEWAY
    """Address of the network's name server."""
    services: tuple[str, ...] = ()
    """Domains in which all names are those of the gateway."""
    sealed: bool = False
    """Whether the layers are an image that machines may boot from as it is."""

    inside: tuple[str, ...] = field(default=(), init=False)
    """Words before a command that runs in the network, and ends with it."""

    def __enter__(self) -> Self:
        self._machines: list[subprocess.Popen[bytes]] = []
        cgroups.remove_abandoned()
        with ExitStack() as stack:
            self.first = stack.enter_context(namespaces())
            self._cgroup = cgroups.name_of(self.first)
            self._site = Site(
                network=NETWORK,
                lower=self.lower[-1],
                cgroup="",
                services=sorted({METADATA, self.name_server} - {GATEWAY}),
                top=Path("/mnt"),
                inside=self.first,
            )
            self._site.open()
            self.inside = ("nsenter", "-t", str(self.first), "-m", "-n", "-p")
            own = (f"--address=/{domain}/{GATEWAY}" for domain in self.services)
            name_server = (*_NAME_SERVER, f"--listen-address={self.name_server}", *own)
            self._machines.append(subprocess.Popen([*self.inside, *name_server], env={"PATH": _PATH}))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        for process in self._machines:
            process.wait()
        cgroups.remove([self._cgroup])

    @property
    def files(self) -> Path:
        """A directory that all machines can share, as we see it."""
        return self._site.seen(self._site.top)

    @contextmanager
    def network(self) -> Iterator[None]:
        """Sockets that this thread makes meanwhile are of the lab's network."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net") as ours, open(f"/proc/{self.first}/ns/net") as theirs:
            assert libc.setns(theirs.fileno(), _NEWNET) == 0
            try:
                yield
            finally:
                assert libc.setns(ours.fileno(), _NEWNET) == 0

    def cut_off(self, machine: Machine) -> None:
        """Take a machine off the network, without a word to those that are connected to it."""
        link = f"v{machine.address.rpartition('.')[2]}"
        subprocess.run([*self.inside, "ip", "link", "set", link, "down"], env={"PATH": _PATH}, check=True)

    def boot(self, address: str, user_data: str, *, id: str, binds: dict[str, str] | None = None) -> Machine:
        """Switch a machine on. `binds` are paths below the shared directory by where the machine sees them."""
        number = len(self._machines)
        at = f"/mnt/machines/{number}"
        binding = " ".join(f"--bind=/mnt/{source}:{target}" for target, source in (binds or {}).items())
        settings = {
            "PATH": _PATH,
            "AT": at,
            "LOWER": ":".join(map(str, self.lower)),
            "SEALED": "yes" if self.sealed else "no",
            "ADDRESS": address,
            "CGROUP": f"{self._cgroup}/{number}",
            "ID": id,
            "BINDS": binding,
            "GATEWAY": GATEWAY,
            "NAME_SERVER": self.name_server,
            "UPTIME": str(int(time.clock_gettime(time.CLOCK_BOOTTIME))),
            "ENVIRONMENT": " ".join(f"{key}={value}" for key, value in self.environment.items()),
        }
        with (self.files / f"output-{number}").open("wb") as log:
            process = subprocess.Popen(
                [*self.inside, "sh", "-c", _BOOT],
                env=settings,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )
        self._machines.append(process)
        assert process.stdin is not None
        process.stdin.write(user_data.encode())
        process.stdin.close()
        try:
            init = wait_for(lambda: _systemd_below(process.pid), "systemd runs")
        except TimeoutError as error:
            said = (self.files / f"output-{number}").read_text(errors="replace")
            raise TimeoutError(f"{error}: {said[-1000:]}") from None
        return Machine(address, self.files / "machines" / str(number) / "root", process, init)


def wait_for(what: Callable[[], T], name: str, seconds: float = 300) -> T:
    began = time.monotonic()
    end = began + seconds
    while True:
        try:
            if found := what():
                return found
        except AssertionError as error:
            last = str(error)
        else:
            last = ""
        now = time.monotonic()
        if now > end:
            raise TimeoutError(f"not within {seconds:.0f} s: {name} {last}")
        time.sleep(min(0.1 + (now - began) / 20, 0.5))  # to ask takes a machine longer than to wait


def _systemd_below(pid: int) -> int:
    """The first process called systemd that descends from `pid`; 0 if there is none yet."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    if name == "systemd":
        return pid
    return next(filter(None, map(_systemd_below, map(int, children))), 0)
