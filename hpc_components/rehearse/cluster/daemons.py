import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hpc_components.boot.archive import programs
from hpc_components.elastic.daemon.control_socket import SOCKET
from hpc_components.rehearse.cluster.setup import TIMER_SLACK
from hpc_components.rehearse.hosts.host import CommandError, Host
from hpc_components.rehearse.hosts.service import Service

ELASTIC = "/opt/hpc/bin/hpc-elastic"
"""Path of the archive with the elastic daemon and the spot notice watcher."""

_MUNGE = """
for directory in /run/munge /var/log/munge /var/lib/munge /etc/munge; do install -d -o munge -g munge $directory; done
chmod 711 /run/munge && chmod 700 /etc/munge /var/log/munge
setpriv --reuid=munge --regid=munge --clear-groups munged --num-threads=2
"""

_DIRECTORIES = ("/var/log/slurm", "/run/slurmctld", "/run/slurmdbd", "/var/lib/hpc/slurmctld", "/var/lib/hpc/elastic")

_DATABASE = """
install -d -o mysql -g mysql /run/mysqld
[ -d "$1/mysql" ] || { install -d -o mysql -g mysql "$1" && mariadb-install-db --no-defaults --user=mysql \
  --datadir="$1" --skip-test-db --auth-root-authentication-method=socket; }
"""

_MARIADB = ("mariadb", "-uroot", "--socket=/run/mysqld/mysqld.sock")

_DATABASE_USER = """
create database if not exists slurm_acct_db;
create user if not exists slurm@localhost identified via unix_socket;
grant all on slurm_acct_db.* to slurm@localhost;
"""


_WITH_TIMER_SLACK = ("sh", "-c", f'echo {TIMER_SLACK.after} >{TIMER_SLACK.file} && exec "$@"', "sh")


class RestartedService:
    """A service that is restarted whenever it ends, as with systemd's `Restart=always`."""

    PAUSE = 2.0
    """Seconds before each restart, as in `hpc-elastic.service` (RestartSec)."""

    def __init__(self, host: Host, start: Callable[[], Service]) -> None:
        self._host, self._start = host, start
        self.service = start()
        self.starts = 1
        threading.Thread(target=self._keep, daemon=True).start()

    def _keep(self) -> None:
        while self._host.alive:
            if not self.service.alive:
                time.sleep(self.PAUSE)
                if self._host.alive:
                    self.service = self._start()
                    self.starts += 1
            time.sleep(0.05)


def wait_until(what: str, done: Callable[[], object], seconds: float = 30) -> None:
    """Wait until `done` returns a true value. Raise TimeoutError, which mentions `what`, after `seconds`."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise TimeoutError(f"timed out after {seconds:.0f} s waiting until {what}")
        time.sleep(0.05)


def write_configuration(host: Host, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        private = name == "slurmdbd.conf"
        host.write(f"/etc/slurm/{name}", text, owner="slurm" if private else "root", mode=0o600 if private else 0o644)
    host.run("install", "-d", "-o", "slurm", "-g", "slurm", *_DIRECTORIES)


def start_munge(host: Host, key: bytes) -> None:
    host.write("/etc/munge/munge.key", key, owner="munge", mode=0o400)
    host.run("sh", "-ec", _MUNGE)


def start_database(head: Host, data: str, logs: Path) -> None:
    start_mariadb(head, data, logs)
    start_slurmdbd(head, logs)


def start_mariadb(host: Host, data: str, logs: Path) -> None:
    host.run("sh", "-ec", _DATABASE, "-", data)
    # slurmdbd 24.11 logs an error if the buffer pool is smaller than 4 GiB; unused parts of the pool take up no
    # memory
    options = ["--innodb-buffer-pool-size=4G", "--innodb-lock-wait-timeout=900", "--skip-log-bin"]
    options += ["--innodb-flush-log-at-trx-commit=0", "--skip-networking", "--socket=/run/mysqld/mysqld.sock"]
    _start(host, logs, "mariadbd", "--no-defaults", "--user=mysql", f"--datadir={data}", *options)
    wait_until("MariaDB answers", lambda: _succeeds(host, *_MARIADB, "-e", "select 1"))


def start_slurmdbd(head: Host, logs: Path) -> None:
    head.run(*_MARIADB, text=_DATABASE_USER)
    _start(head, logs, "slurmdbd", "-D", user="slurm")


def start_controller(head: Host, logs: Path) -> Service:
    controller = _start(head, logs, "slurmctld", "-D", user="slurm")
    wait_until("slurmctld answers", lambda: _succeeds(head, "scontrol", "ping") or not controller.alive)
    if not controller.alive:
        raise RuntimeError(f"slurmctld failed to start: {_last_words(logs / 'head-slurmctld.log')}")
    return controller


def install_elastic(head: Host, config: str, prices: str) -> None:
    """Install what slurmctld needs when it starts."""
    for name, text in programs().items():
        head.write(f"/opt/hpc/bin/{name}", text, mode=0o755)
    head.write("/etc/hpc/elastic.json", config)
    head.write("/etc/hpc/prices.json", prices)
    head.run("install", "-d", "-o", "slurm", "-g", "slurm", "/run/hpc-elastic", "/var/lib/hpc/elastic")


def start_elastic(head: Host, logs: Path) -> RestartedService:
    """Start the elastic daemon, wait until it is listening, and restart it whenever it ends.

    The wait is necessary because `hpc-prolog` needs a listening daemon in order to hold a job until the job's nodes
    are up.
    """
    service = RestartedService(
        head, lambda: _start(head, logs, ELASTIC, "run", "/etc/hpc/elastic.json", user="slurm")
    )
    wait_until("the elastic daemon is listening", lambda: _succeeds(head, "test", "-S", str(SOCKET)))
    return service


def start_node(node: Host, controller: str, logs: Path) -> tuple[Service, ...]:
    """Start slurmd and the spot notice watcher. slurmd gets its configuration from `controller`, an address with a
    port.

    Return the two services in the order in which systemd stops them (After= in `hpc-watch.service`).
    """
    node.run("mkdir", "-p", "/var/spool/slurmd", "/var/log/slurm", "/run/slurm")
    options = ("-D", "--conf-server", controller, "-N", node.name)
    slurmd = _start(node, logs, "slurmd", *options, before=_WITH_TIMER_SLACK)
    return _start(node, logs, ELASTIC, "watch"), slurmd


def _start(
    host: Host, logs: Path, name: str, *options: str, user: str = "root", before: tuple[str, ...] = ()
) -> Service:
    """Start a daemon whose log file is kept after the host is gone."""
    with open(logs / f"{host.name}-{name.rpartition('/')[2]}.log", "ab") as log:
        return host.start(*before, name, *options, user=user, output=log)


def _succeeds(host: Host, *command: str) -> bool:
    try:
        host.run(*command)
    except CommandError:
        return False
    return True


def _last_words(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if "error" in line or "fatal" in line]
    return "; ".join(lines[-3:]) or "no errors in its log"
