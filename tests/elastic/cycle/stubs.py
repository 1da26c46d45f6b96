"""A Slurm and a cloud that do exactly what a test says, and write down what they are told."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from hpc_components.elastic.act.calls import Call, LaunchCalls
from hpc_components.elastic.budget.budget import Budget
from hpc_components.elastic.budget.record import BudgetRecord
from hpc_components.elastic.budget.webhook import Webhook
from hpc_components.elastic.clock import Clock
from hpc_components.elastic.config import BudgetConfig, Config, QueueConfig
from hpc_components.elastic.daemon.cycle import Cycle
from hpc_components.elastic.drivers.contract import CapacityError, QuotaError
from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.ledger.ledger import Ledger
from hpc_components.elastic.model import Instance, InstanceState, Job, Launch, Node, Pool
from hpc_components.elastic.names import node_name
from hpc_components.elastic.report.events import CycleReport, EventKind

M1 = Pool(queue="q", machine="m1", zone="z", purchase="on_demand")
M2 = Pool(queue="q", machine="m2", zone="z", purchase="spot")
OFF, COMING, UP = "IDLE+CLOUD+POWERED_DOWN", "ALLOCATED+CLOUD+POWERING_UP", "ALLOCATED+CLOUD"
START = 1_000_000.0
LOST = OSError("timed out")


def names(*numbers: int) -> tuple[str, ...]:
    return tuple(node_name("q", number) for number in numbers)


LIMITS = Limits(list_lag_seconds=120, launch_size=1000, tag_length=256, spot_notice_seconds=120)
LIST_LAG = LIMITS.list_lag_seconds


class StubSlurm:
    """`states` and `reasons` by node name; what it is told changes nothing."""

    def __init__(self, count: int) -> None:
        self.states = dict.fromkeys(names(*range(1, count + 1)), OFF)
        self.reasons: dict[str, str] = {}
        self.jobs_now: list[Job] = []
        self.told: list[tuple[tuple[str, ...], str, str]] = []
        self.fails: Exception | None = None
        self.refuses: dict[str, Exception] = {}
        self.asked: list[str] = []
        self.postponed: list[tuple[tuple[int, ...], float, str]] = []
        self.bound_jobs: list[int] = []
        self.comments: dict[int, str] = {}
        """Jobs in the queue, and what is said of them."""

    def bound(self) -> Collection[int]:
        return self.bound_jobs

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        if jobs:
            self.told.append((tuple(jobs), f"requeue={int(allowed)}", ""))

    def waiting(self) -> Mapping[int, str]:
        return self.comments

    def explain(self, jobs: Collection[int], why: str) -> None:
        if "explain" in self.refuses:
            raise self.refuses["explain"]
        self.comments |= dict.fromkeys(jobs, why[:80])  # as much as squeue is asked to show

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        if "postpone" in self.refuses:
            raise self.refuses["postpone"]
        self.postponed.append((tuple(jobs), seconds, why))

    def nodes(self) -> Sequence[Node]:
        self._answer("nodes")
        return [
            Node(name=name, states=frozenset(states.split("+")), reason=self.reasons.get(name, ""))
            for name, states in self.states.items()
        ]

    def jobs(self) -> Sequence[Job]:
        self._answer("jobs")
        return self.jobs_now

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        if state in self.refuses:
            raise self.refuses[state]
        self.told.append((tuple(nodes), state, reason))

    def _answer(self, what: str) -> None:
        self.asked.append(what)
        if self.fails:
            raise self.fails

    def want(self, job: int, *numbers: int) -> None:
        """A job whose nodes are to come up."""
        self.jobs_now.append(Job(id=job, state="CONFIGURING", nodes=names(*numbers)))
        self.set(COMING, *numbers)

    def set(self, states: str, *numbers: int, reason: str = "") -> None:
        for name in names(*numbers):
            self.states[name] = states
            self.reasons[name] = reason


class StubCloud:
    """`free` machines and `quota` by pool; `fails` are raised by the next calls, one each (None: it goes well)."""

    limits = LIMITS

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.free: dict[Pool, int] = {}
        self.quota: dict[Pool, int] = {}
        self.mute: set[Pool] = set()
        """Pools that never answer."""
        self.fails: dict[str, list[Exception | None]] = {"launch": [], "terminate": [], "list": [], "find": []}
        self.machines: dict[str, Instance] = {}
        self.hidden: set[str] = set()
        """Ids that the list lacks."""
        self.unknown: set[str] = set()
        """Ids that nobody knows when asked for them."""
        self.launches: list[Launch] = []
        self.ended: list[str] = []
        self.asked: list[str] = []

    def launch(self, launch: Launch) -> Sequence[Instance]:
        self._answer("launch", launch)
        made = [machine for machine in self.machines.values() if machine.token == launch.token]
        if made:
            return made
        used = sum(machine.alive and machine.pool == launch.pool for machine in self.machines.values())
        if used + len(launch.nodes) > self.quota.get(launch.pool, 10_000):
            raise QuotaError("VcpuLimitExceeded")
        count = min(len(launch.nodes), self.free.get(launch.pool, 10_000))
        if count < launch.minimum:
            raise CapacityError("InsufficientInstanceCapacity")
        if launch.pool in self.free:
            self.free[launch.pool] -= count
        return [self.add(name, launch.pool, launch.token) for name in launch.nodes[:count]]

    def terminate(self, ids: Collection[str]) -> None:
        self._answer("terminate")
        self.ended += ids
        for id in ids:
            if id in self.machines:
                self.change(id, state=InstanceState.STOPPING)

    def list(self) -> Sequence[Instance]:
        self._answer("list")
        return [machine for machine in self.machines.values() if machine.id not in self.hidden]

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        self._answer("find")
        known = (machine for machine in self.machines.values() if machine.id not in self.unknown)
        return [machine for machine in known if machine.id in ids or machine.token in tokens]

    def add(self, node: str, pool: Pool = M1, token: str = "t0", **more: object) -> Instance:
        machine = Instance(
            **{
                "id": f"i-{len(self.machines) + 1}",
                "node": node,
                "token": token,
                "pool": pool,
                "state": InstanceState.RUNNING,
                "launched": self.clock(),
                **more,
            }
        )
        self.machines[machine.id] = machine
        return machine

    def change(self, id: str, **to: object) -> None:
        self.machines[id] = Instance(**{**vars(self.machines[id]), **to})

    def alive(self) -> dict[str, str]:
        """Node -> machine type."""
        return {machine.node: machine.pool.machine for machine in self.machines.values() if machine.alive}

    def _answer(self, call: str, launch: Launch | None = None) -> None:
        self.asked.append(call)
        if launch:
            self.launches.append(launch)
            if launch.pool in self.mute:
                raise LOST
        fails = self.fails[call]
        failure = fails.pop(0) if fails else None
        if failure:
            raise failure


class AtOnce(LaunchCalls):
    """Answers come before anything else happens, in the order of the calls, but for those that are slow."""

    def __init__(self) -> None:
        super().__init__()
        self.slow: set[Pool] = set()
        """Pools whose calls are carried out, and answered once they are taken out of here."""
        self.waiting: list[tuple[Call, Callable[[], Sequence[Instance]]]] = []

    def start(self, call: Call, launch: Callable[[], Sequence[Instance]]) -> None:
        self._under_way[call.entry.launch.pool] = call
        self.waiting.append((call, launch))

    def _next(self, patience: float) -> tuple[Call, Sequence[Instance], BaseException | None] | None:
        for each in self.waiting:
            call, launch = each
            if call.entry.launch.pool not in self.slow:
                self.waiting.remove(each)
                self._run(call, launch)
                return self._done.get_nowait()
        return None


class StubSpending:
    """What the ledger says, in nano-USD."""

    def __init__(self) -> None:
        self.spent = self.hourly = 0
        self.without_price: list[Pool] = []

    def month_to_date(self, now: float) -> int:
        return self.spent

    def rate(self, now: float) -> int:
        return self.hourly

    def unpriced(self, now: float) -> list[Pool]:
        return self.without_price


class Site:
    """A queue `q` of `count` nodes with its daemon, which can be killed and started again."""

    def __init__(
        self,
        folder: Path,
        count: int = 8,
        *,
        pools: tuple[Pool, ...] = (M1, M2),
        minimum: int = 0,
        placement: str = "none",
    ) -> None:
        self.now = START
        self.ahead = 0.0
        """Seconds by which the head node's clock is wrong."""
        self.path = folder / "journal.json"
        self.budget: BudgetConfig | None = None
        self.spending = StubSpending()
        self.webhook: Webhook | None = None
        queue = QueueConfig(name="q", max=count, min=minimum, pools=pools, placement=placement)
        self.config = Config(
            cluster="c", cloud="aws", region="r", boot_timeout=600.0, cooldown=300.0, queues=(queue,)
        )
        self.slurm = StubSlurm(count)
        self.cloud = StubCloud(self.clock)
        self.start()

    def clock(self) -> float:
        return self.now

    def start(self, boot: str = "b1") -> None:
        """A daemon that knows only what is in the journal, on a machine that has booted again or not."""
        clock = Clock(wall=lambda: self.now + self.ahead, running=self.clock, boot=boot)
        self.journal = Journal(self.path, clock)
        self.calls = AtOnce()
        self.ledger = self.make_ledger(clock)
        record = BudgetRecord(self.path.with_name("budget.json"))
        budget = Budget("c", self.budget, self.spending, record, self.webhook) if self.budget else None
        self.daemon = Cycle(
            self.config, self.cloud, self.slurm, self.journal, clock, self.calls, self.ledger, budget
        )  # fmt: skip

    def make_ledger(self, clock: Clock) -> Ledger | None:
        """None: costs are of no interest."""

    def run(self, after: float = 5.0) -> CycleReport:
        """The next cycle. What Slurm is told in it is in `slurm.told`."""
        self.now += after
        self.slurm.told.clear()
        self.slurm.postponed.clear()
        self.cloud.ended.clear()
        self.cloud.launches.clear()
        return self.daemon.run()

    def told(self, state: str) -> dict[str, str]:
        """Node -> reason of what Slurm was told in the last cycle."""
        return {name: reason for nodes, to, reason in self.slurm.told if to == state for name in nodes}


def kinds(report: CycleReport) -> list[EventKind]:
    return [event.kind for event in report.events]
