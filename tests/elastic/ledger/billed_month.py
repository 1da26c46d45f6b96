"""Two busy minutes of a cluster that three organizations share, on real daemons; an hour costs as a second would."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from elastic.ledger.metered_cloud import MINIMUM_MS, Meter, MeteredCloud
from hpc_components.elastic.model import Instance, Pool
from hpc_components.rehearse.cluster import local_cloud
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
_RUNS = ("env", "SLURM_TIME_FORMAT=%s", "squeue", "-r", "-t", "all", "-o", "%A %S %e")
_RECORDED_SECONDS = 20
"""Time after which slurmdbd knows of a job's start: slurmctld sends starts every 5 s, later if it is busy."""
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
    rebuilt: str
    """The ledger after it was lost and rebuilt."""
    status: str
    """The daemon's status document after all."""
    changed: tuple[float, float]
    """Time before and after the price list was replaced."""
    daemons: int
    seconds: float
    interrupted: frozenset[str]
    """Jobs that ran when the head node was lost, or in the seconds before, according to slurmctld before or after it.
    """


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
    interrupted = stage.ran_before(time.time())
    lost = time.time()
    head.kill()
    stage.cluster.start_head()
    interrupted |= stage.ran_before(lost)
    stage.wait_for_jobs(0)
    wait_until("all machines are gone", lambda: not cloud.alive(), 240)
    status = stage.when_recorded()
    last = max(begin for _, begin in meter.begun.values()) / 1000
    wait_until("the minute that every machine costs is over", lambda: time.time() > last + MINIMUM_MS / 1000, 90)
    export = stage.cluster.head.run("sh", "-ec", LEDGER)
    rebuilt = stage.lose_ledger()
    seconds = time.monotonic() - began
    return Month(meter, export, rebuilt, status, (before, stage.changed), daemons, seconds, interrupted)


class _Stage:
    def __init__(self, channel: Channel, made: Setup) -> None:
        self.made, self.meter, self.changed = made, Meter(), 0.0
        local_cloud.GONE_LISTED_SECONDS = 3600.0  # as EC2
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
        """One that runs a job, which is requeued."""

        def machines() -> list[Instance]:
            nodes = self._head("squeue", "-h", "-p", "spot", "-t", "R", "-o", "%N").split()
            return [machine for node in nodes for machine in self.cloud.alive(node)]

        lost: list[Instance] = []
        wait_until("a job runs on a spot machine", lambda: lost.extend(machines()[:1]) or lost, 120)
        running = ("squeue", "-h", "-t", "R", "-w", lost[0].node, "-o", "%A %S")  # others may start there soon
        runs = set(self._head(*running).splitlines())
        self.cloud.kill(lost[0].id, taken=True)
        wait_until("its jobs are requeued", lambda: runs.isdisjoint(self._head(*running).splitlines()), 240)

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

    def lose_ledger(self) -> str:
        """The ledger after it was lost together with the journal, when the cloud lists nothing more, and rebuilt from
        slurmdbd's jobs."""
        local_cloud.GONE_LISTED_SECONDS = 0.0
        self.cluster.elastic.service.kill()
        self._head("sh", "-c", "rm /var/lib/hpc/elastic/ledger/*; echo { >/var/lib/hpc/elastic/journal.json")
        wait_until("the ledger has begun again", lambda: '"gap"' in self._ledger(), 60)
        self.cluster.head.run("/opt/hpc/bin/hpc-elastic", "ledger", "rebuild")
        return self._ledger()

    def _ledger(self) -> str:
        return self._head("sh", "-c", "cat /var/lib/hpc/elastic/ledger/*.jsonl")

    def _price_times(self) -> set[float]:
        records = map(json.loads, self._ledger().splitlines())
        times = [record["since"] for record in records if record["kind"] == "price"]
        return set(times) - {times[0]}

    def wait_for_jobs(self, left: int) -> None:
        wait_until(f"only {left} jobs are left", lambda: self._jobs() <= left, 400)

    def wait_for_saved_state(self) -> None:
        """slurmctld writes what it knows of jobs and nodes every five seconds."""
        files = [self.cluster.site.directory("state") / f"slurmctld/{each}_state" for each in ("node", "job")]
        now = time.time()
        wait_until("slurmctld has saved its state", lambda: all(each.stat().st_mtime > now for each in files), 60)

    def ran_before(self, lost: float) -> frozenset[str]:
        """Jobs that ran at a time in seconds since the epoch, or whose start slurmdbd may not have known then. Waits
        until slurmctld answers."""
        answers: list[str] = []
        wait_until("slurmctld answers", lambda: answers.append(self._head(*_RUNS)) or "JOBID" in answers[-1], 120)
        started = [row for line in answers[-1].splitlines()[1:] if (row := line.split())[1].isdecimal()]
        return frozenset(
            job
            for job, start, end in started
            if float(start) <= lost and (not end.isdecimal() or float(end) >= lost - _RECORDED_SECONDS)
        )

    def _jobs(self) -> int:
        """How many are left. A job that started just before the head node was lost may be held; an administrator
        releases it."""
        lines = self._head("squeue", "-h", "-r", "-o", "%i|%r").splitlines()
        if held := [line.partition("|")[0] for line in lines if "requeued held" in line]:
            self._head("scontrol", "release", ",".join(held))
        return len(lines)

    def when_recorded(self) -> str:
        """The daemon's status, from a cycle after the one that recorded the last end as the cloud told it."""
        wait_until("every end is recorded", lambda: self._ended() == self.meter.begun.keys(), 180)
        now = time.time()
        wait_until("the daemon has looked again", lambda: json.loads(self._status())["cycle"]["time"] > now, 90)
        return self._status()

    def _ended(self) -> set[str]:
        records = map(json.loads, self._ledger().splitlines())
        return {record["id"] for record in records if record.get("ended_by") == "cloud"}

    def _status(self) -> str:
        return self._head("/opt/hpc/bin/hpc-elastic", "status", "--format", "json")

    def _head(self, *command: str) -> str:
        return self.cluster.head.run(*command, check=False)


def call(channel: Channel, act: Callable[..., Month], *arguments: object) -> Month:
    return act(channel, *arguments)
