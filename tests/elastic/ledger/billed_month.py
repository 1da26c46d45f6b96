"""Two busy minutes of a cluster that three organizations share, on real daemons; an hour costs as a second would."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from elastic.ledger.metered_cloud import MINIMUM_MS, Meter, MeteredCloud
from hpc_components.elastic.model import Pool
from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.daemons import wait_until
from hpc_components.rehearse.cluster.local_cloud import Hypervisor
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.cluster.setup import Setup, prepare
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.hosts.sandbox_init import Channel
from tests.rehearse.performing import ROOTS
from tests.slurm.described import cluster, queue

SCALE = 3600
PEOPLE = {
    "ada": "acme", "abe": "acme", "amy": "acme", "alf": "acme", "bea": "birch", "ben": "birch", "bob": "birch",
    "cy": "cedar", "cas": "cedar", "coco": "cedar",
}  # fmt: skip
LEDGER = "/opt/hpc/bin/hpc-elastic ledger export >/var/lib/hpc/export.tar.gz && base64 -w0 /var/lib/hpc/export.tar.gz"


def setup(release: str) -> Setup:
    """The cluster, with prices of a second where hours are meant."""
    described = cluster(
        queue(name="cpu", machine="c7i.2xlarge", max=5),
        queue(name="spot", machine="c7i.xlarge", fallback=["c6i.xlarge"], purchase="spot", max=4),
        slurm={"accounting": {}},
        people={
            "users": {name: {"uid": 2100 + n, "organization": its} for n, (name, its) in enumerate(PEOPLE.items())}
        },
        organizations={name: {"gid": 3100 + n} for n, name in enumerate(("acme", "birch", "cedar"))},
        billing={"rates": {"c7i.xlarge": 0.09, "c6i.xlarge": 0.08}},
    )
    made = prepare(described, root=ROOTS[release], times=Times(idle=4, boot=30, cooldown=15))
    return Setup(**{**vars(made), "files": dict(made.files) | {"prices.json": scaled(made.files["prices.json"])}})


def scaled(prices: str, by: Decimal = Decimal(SCALE)) -> str:
    document = json.loads(prices)
    for entry in (*document["machines"], *document["services"]):
        for key in ("usd_per_hour", "disks_usd_per_hour"):
            if entry.get(key):
                entry[key] = format((Decimal(entry[key]) * by).quantize(Decimal("1e-9")), "f")
    return json.dumps(document)


def usd_of(prices: str) -> dict[Pool, Fraction]:
    keys = ("queue", "machine", "zone", "purchase")
    return {
        Pool(**{key: each[key] for key in keys}): Fraction(each["usd_per_hour"])
        for each in json.loads(prices)["machines"]
    }


@dataclass
class Month:
    meter: Meter
    export: str
    """In base64."""
    status: str
    """The daemon's status document after all."""
    changed: tuple[float, float]
    """Time before and after the price list was replaced."""
    daemons: int
    seconds: float


def busy(channel: Channel, made: Setup, jobs: int) -> Month:
    """`jobs` in all: capacity errors, spot losses, a killed daemon, a changed price, a replaced head node."""
    began = time.monotonic()
    stage = _Stage(channel, made)
    cloud, meter, head = stage.cloud, stage.meter, stage.cluster.head
    spot = next(pool for pool in meter.prices if pool.machine == "c7i.xlarge")
    cloud.limit(spot, 2, refusals=2)
    stage.submit(jobs // 2)
    stage.lose_spot_machine()
    stage.cluster.elastic.service.kill()
    stage.wait_for_jobs(jobs // 4)
    before = time.time()
    stage.change_prices()
    cloud.fail_boots(1)
    stage.submit(jobs - jobs // 2)
    stage.lose_spot_machine()
    stage.wait_for_jobs(jobs // 3)
    daemons = stage.cluster.elastic.starts
    stage.wait_for_saved_state()
    head.kill()
    stage.cluster.start_head()
    stage.wait_for_jobs(0)
    wait_until("all machines are gone", lambda: not cloud.alive(), 240)
    status = stage.when_recorded()
    last = max(begin for _, begin in meter.begun.values()) / 1000
    wait_until("the minute that every machine costs is over", lambda: time.time() > last + MINIMUM_MS / 1000, 90)
    export = stage.cluster.head.run("sh", "-ec", LEDGER)
    return Month(meter, export, status, (before, stage.changed), daemons, time.monotonic() - began)


class _Stage:
    def __init__(self, channel: Channel, made: Setup) -> None:
        self.made, self.meter, self.changed = made, Meter(), 0.0
        self.meter.prices = {pool: [(0, usd)] for pool, usd in usd_of(made.files["prices.json"]).items()}
        self.cluster = LocalCluster(made, EventLog(channel.send), channel.cgroup)
        power = Hypervisor(boot=self.cluster._boot, power_off=self.cluster._power_off, report=self.cluster.log.record)
        self.cloud = self.cluster.cloud = MeteredCloud(power, self.meter)
        self.cluster.open()
        self.cluster.start_head()

    def submit(self, jobs: int) -> None:
        """Arrays of short jobs, one or two cores each, of everybody in both queues."""
        sizes = [jobs // len(PEOPLE) + (number < jobs % len(PEOPLE)) for number in range(len(PEOPLE))]
        for number, (user, size) in enumerate(zip(PEOPLE, sizes, strict=True)):
            options = f"-p {'spot' if number % 3 == 0 else 'cpu'} -n{1 + number % 2} -t 5 -o /dev/null"
            script = f"sbatch -Q {options} --array=1-{size} --wrap 'sleep {1 + number % 3}'"
            self.cluster.head.run("runuser", "-l", user, "-c", f"cd /tmp && {script}")

    def lose_spot_machine(self) -> None:
        """One that runs a job."""

        def machines() -> list[str]:
            nodes = self._head("squeue", "-h", "-p", "spot", "-t", "R", "-o", "%N").split()
            return [machine.id for node in nodes for machine in self.cloud.alive(node)]

        wait_until("a job runs on a spot machine", lambda: self._kill(machines()), 120)

    def _kill(self, machines: list[str]) -> bool:
        for id in machines[:1]:
            self.cloud.kill(id, taken=True)
        return bool(machines)

    def change_prices(self) -> None:
        """A quarter more from now on; the meter's time is that of the daemon's record."""
        text = scaled(self.made.files["prices.json"], Decimal("1.25"))
        self.made.files["prices.json"] = text  # ty: ignore
        self.cluster.head.write("/etc/hpc/prices.json", text)
        wait_until("the daemon has recorded the prices", self._price_times, 60)
        self.changed = time.time()
        (since,) = self._price_times()
        for pool, usd in usd_of(text).items():
            self.meter.prices[pool].append((round(since * 1000), usd))

    def _price_times(self) -> set[float]:
        lines = self._head("sh", "-c", "cat /var/lib/hpc/elastic/ledger/*.jsonl").splitlines()
        times = [record["since"] for record in map(json.loads, lines) if record["kind"] == "price"]
        return set(times) - {times[0]}

    def wait_for_jobs(self, left: int) -> None:
        wait_until(f"only {left} jobs are left", lambda: self._jobs() <= left, 400)

    def wait_for_saved_state(self) -> None:
        """slurmctld writes what it knows of jobs and nodes every five seconds."""
        files = [self.cluster.site.directory("state") / f"slurmctld/{each}_state" for each in ("node", "job")]
        now = time.time()
        wait_until("slurmctld has saved its state", lambda: all(each.stat().st_mtime > now for each in files), 60)

    def _jobs(self) -> int:
        """How many are left. A job that started just before the head node was lost may be held; an administrator
        releases it."""
        lines = self._head("squeue", "-h", "-r", "-o", "%i|%r").splitlines()
        if held := [line.partition("|")[0] for line in lines if "requeued held" in line]:
            self._head("scontrol", "release", ",".join(held))
        return len(lines)

    def when_recorded(self) -> str:
        """The daemon's status once it has recorded the last end."""

        def status() -> str:
            text = self._head("/opt/hpc/bin/hpc-elastic", "status", "--format", "json")
            services = json.loads(self.made.files["prices.json"])["services"]
            rate = sum(Decimal(each["usd_per_hour"]) for each in services if each["usd_per_hour"])
            return text if abs(Decimal(json.loads(text)["costs"]["per_hour"]) - rate) < Decimal("0.001") else ""

        wait_until("no machine costs anything", status, 120)
        return status()

    def _head(self, *command: str) -> str:
        return self.cluster.head.run(*command, check=False)


def call(channel: Channel, act: Callable[..., Month], *arguments: object) -> Month:
    return act(channel, *arguments)
