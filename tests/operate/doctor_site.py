"""A cluster for `hpc doctor` to examine: real Slurm with accounting, munge, MariaDB and hpc-elastic, without systemd.

Stand-ins of systemctl and journalctl say what the processes are and what they wrote.
"""

import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elastic.lab import Cluster, Lab, end, wait
from elastic.lab.cloud import COMMAND, Cloud, install_daemon, start_daemon

from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.model import Instance, Launch

from .site import Laptop, start_sshd

SLURM = """\
NodeName=q-[1-4] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
NodeName=p-[1-2] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-4] Default=YES
PartitionName=p Nodes=p-[1-2]
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=head
AccountingStorageEnforce=associations,limits,qos
SlurmctldLogFile=/var/log/slurm/slurmctld.log
"""

DBD = """\
AuthType=auth/munge
DbdHost=head
SlurmUser=slurm
StorageType=accounting_storage/mysql
StorageUser=slurm
StorageLoc=slurm_acct_db
LogFile=/var/log/slurm/slurmdbd.log
PidFile=/run/slurmdbd.pid
"""

SYSTEMCTL = """\
#!/bin/sh
# Stands in for systemd: units are what runs here, and what tests add to /etc/lab-units as "<unit> <ActiveState>".
case $1 in show) ;; *) exit 1 ;; esac
block() {
  printf 'Id=%s\\nLoadState=loaded\\nActiveState=%s\\nSubState=x\\nResult=success\\n' "$1" "$2"
  printf 'UnitFileState=enabled\\nConditionResult=yes\\nConditionTimestamp=now\\n\\n'
}
has() { pgrep "$@" >/dev/null && echo active || echo failed; }
block munge.service $(has -x munged)
block slurmctld.service $(has -x slurmctld)
block slurmdbd.service $(has -x slurmdbd)
block mariadb.service $(has -x mariadbd)
block hpc-elastic.service $(has -f 'hpc-elastic run')
if [ -e /etc/lab-units ]; then while read -r unit state; do block "$unit" "$state"; done </etc/lab-units; fi
"""

JOURNALCTL = """\
#!/bin/sh
# Units' processes write to files that the hosts share.
case "$*" in
*_SYSTEMD_UNIT=hpc-elastic.service*) cat /shared/head.python3.log ;;
*_SYSTEMD_UNIT=*) unit=${*##*_SYSTEMD_UNIT=}; cat "/shared/head.${unit%.service}.log" 2>/dev/null ;;
*) exit 1 ;;
esac
"""

SUDO = """\
#!/bin/sh
test "$1" = -n || { echo "sudo: asks for a password" >&2; exit 1; }
test -e /etc/no-sudo && { echo "sudo: a password is required" >&2; exit 1; }
shift
if [ "$1" = -u ]; then
  user=$2
  shift 2
  exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"
fi
exec "$@"
"""

PRICE = {"usd_per_hour": "1", "basis": "list", "source": "test", "as_of": "2026-11-28"}

PUBLIC = {
    "access": {"cloud": "aws", "cluster": "lab", "region": "us-east-2", "user": "root"},
    "head_node": {"private_ip": "10.77.0.2", "public_ip": "10.77.0.2", "instance_id": "i-0abc"},
}


class PickyCloud(Cloud):
    """A cloud that may refuse launches, have machines of its own, and keep what it should end."""

    error: LaunchError | None = None
    keeps = False

    def launch(self, launch: Launch) -> Sequence[Instance]:
        if self.error:
            raise self.error
        return super().launch(launch)

    def terminate(self, ids) -> None:
        if not self.keeps:
            super().terminate(ids)


class AccountedCluster(Cluster):
    """A cluster with slurmdbd and its database on the head node, and a small state volume of its own."""

    database: subprocess.Popen | None = None

    def start_controller(self) -> None:
        if self.database is None:
            self._prepare()
        super().start_controller()

    def _prepare(self) -> None:
        head = self.head
        head.run("sh", "-c", "mkdir -p /var/lib/hpc && mount -t tmpfs -o size=32m,mode=755 tmpfs /var/lib/hpc")
        head.run("sh", "-c", "mkdir /var/lib/hpc/keys && cp /etc/munge/munge.key /var/lib/hpc/keys/munge")
        head.run("install", "-d", "-o", "slurm", "/var/log/slurm")
        head.write("/etc/slurm/slurmdbd.conf", DBD, mode="600")
        head.run("chown", "slurm", "/etc/slurm/slurmdbd.conf")
        head.run(
            "sh", "-ec", "rm -rf /var/lib/mysql; install -d -o mysql /var/lib/mysql /run/mysqld;"
            " mariadb-install-db --user=mysql --datadir=/var/lib/mysql --skip-test-db"
            " --auth-root-authentication-method=socket >/dev/null",
        )  # fmt: skip
        self.start_database()
        head.run(
            "mariadb", "-e", "create user slurm@localhost identified via unix_socket;"
            "grant all on slurm_acct_db.* to slurm@localhost; create database slurm_acct_db",
        )  # fmt: skip
        self.start_slurmdbd()
        head.run("sacctmgr", "-iQ", "add", "cluster", "lab")
        head.run("sacctmgr", "-iQ", "add", "account", "a")
        head.run("sacctmgr", "-iQ", "add", "user", "alice", "account=a")

    def start_database(self) -> None:
        self.database = self.head.spawn(
            "mariadbd", "--no-defaults", "--user=mysql", "--datadir=/var/lib/mysql", "--skip-networking",
            "--socket=/run/mysqld/mysqld.sock", "--innodb-lock-wait-timeout=900",
        )  # fmt: skip
        wait(lambda: self.head.run("mariadb", "-Ne", "select 1", check=False).strip() == "1")

    def start_slurmdbd(self) -> None:
        self.slurmdbd = self.head.spawn("slurmdbd", "-D", user="slurm")
        wait(lambda: self.head.run("sh", "-c", "sacctmgr -n list cluster && echo yes", check=False))


class Clinic:
    """The cluster, its cloud and daemon, and a laptop."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.cluster = AccountedCluster(lab, SLURM)
        self.head = self.cluster.head
        install_daemon(self.cluster, nodes=4, cooldown=600)
        config = json.loads(self.head.run("cat", "/etc/hpc/elastic.json"))
        pool = config["queues"][0]["pools"][0]
        config["queues"].append({"name": "p", "max": 2, "pools": [pool]})
        self.head.write("/etc/hpc/elastic.json", json.dumps(config))
        prices = [{"queue": queue, **pool, **PRICE} for queue in ("q", "p")]
        self.head.write("/etc/hpc/prices.json", json.dumps({"version": 1, "machines": prices, "services": []}))
        self.head.write("/opt/hpc/bin/hpc-elastic", f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n', mode="755")
        self.head.write("/opt/hpc/boot-steps.json", json.dumps({"role": "head", "result": "ready", "steps": []}))
        self.cloud = PickyCloud(self.cluster)
        self.laptop = Laptop(lab.host("laptop", "10.77.0.200").enter[2], folder)
        start_sshd(self.head, self.laptop.public_key)
        for name, text in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL), ("sudo", SUDO)):
            self.head.write(f"/usr/local/bin/{name}", text, mode="755")
        self.head.write("/usr/local/bin/timedatectl", "#!/bin/sh\necho yes\n", mode="755")
        self.laptop.give_outputs(PUBLIC)

    @contextmanager
    def opened(self) -> Iterator["Clinic"]:
        with self.cloud.served():
            self.start_elastic()
            yield self
            self.stop_elastic()

    def start_elastic(self) -> None:
        self.daemon = start_daemon(self.cluster)

    def stop_elastic(self) -> None:
        end(self.daemon, signal.SIGTERM)

    def examine(self, *arguments: str) -> dict[str, Any]:
        """The document of `hpc doctor`."""
        done = self.laptop.hpc("doctor", "lab", *arguments, "--format", "json")
        assert done.returncode in (0, 1), done
        document = json.loads(done.stdout)
        assert document["well"] == (done.returncode == 0)
        return document

    def first(self, *arguments: str) -> dict[str, Any]:
        """The most important diagnosis."""
        return self.examine(*arguments)["diagnoses"][0]

    def submit(self, *options: str) -> str:
        """Let alice submit a job. Its id."""
        told = self.head.run("sbatch", "-o", "/dev/null", "--parsable", *options, "--wrap", "sleep 600", user="alice")
        return told.strip()

    def forget_jobs(self) -> None:
        """Cancel all jobs, and end all nodes."""
        self.head.run("scancel", "-u", "alice")
        wait(lambda: not self.head.run("squeue", "-h"))

    def reason(self, job: str) -> str:
        return self.head.run("squeue", "-h", "-j", job, "-o", "%r").strip()

    def wait_for_reason(self, job: str, begins: str) -> None:
        wait(lambda: self.reason(job).startswith(begins), 90)


def ids(document: dict[str, Any]) -> list[str]:
    return [each["id"] for each in document["diagnoses"]]
