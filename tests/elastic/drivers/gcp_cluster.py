"""Two clusters' templates in one project, and drivers for the first."""

from collections.abc import Callable

from hpc_components.elastic.drivers.gcp.driver import GcpDriver, Place
from hpc_components.elastic.drivers.gcp.identity import Metadata, Tokens
from hpc_components.elastic.drivers.http import Answer, Send
from hpc_components.elastic.model import Launch, Pool

from .fake_gce import BUCKET, FakeGce
from .gce_shapes import PROJECT, Template

QUEUE = "cpu"
NOW = 1_790_000_000.0
REGION = "us-central1"
FIRST = Pool(queue=QUEUE, machine="h3-standard-88", zone="us-central1-a", purchase="on_demand")
SECOND = Pool(queue=QUEUE, machine="c2-standard-60", zone="us-central1-b", purchase="spot")
MODELS = {"on_demand": "STANDARD", "spot": "SPOT", "flex_start": "FLEX_START"}


def template_id(pool: Pool, cluster: str = "cfd") -> str:
    name = f"{cluster}-{pool.queue}-{pool.machine}-{pool.zone}"
    return f"projects/{PROJECT}/regions/{REGION}/instanceTemplates/{name}"


def add_fleets(
    gce: FakeGce,
    *pools: Pool,
    cluster: str = "cfd",
    machines: int = 0,
    max_distance: int | None = None,
    policy: str = "",
) -> None:
    """A template for each pool, and what the stack writes of them. With `machines`: in policies of so many."""
    queues: dict[str, dict] = {}
    for pool in pools:
        labels = {"name": f"{cluster}-{pool.queue}", "clustername": cluster, "hpc_role": "compute", "owner": "tom"}
        gce.templates[template_id(pool, cluster)] = Template(pool.machine, labels, MODELS[pool.purchase])
        placement = {"machines": machines, "max_distance": max_distance} if machines else None
        queue = queues.setdefault(
            pool.queue,
            {"templates": {}, "purchase": pool.purchase, "max_run_seconds": None, "policy": policy or None,
             "placement": placement, "spread": None},
        )  # fmt: skip
        queue["templates"][f"{pool.machine}/{pool.zone}"] = template_id(pool, cluster)
    gce.put("head/fleets.json", {"version": 1, "project": PROJECT, "queues": queues})


def launch(
    *numbers: int, minimum: int = 1, token: str = "t1", pool: Pool = FIRST, sizes: tuple[int, ...] = ()
) -> Launch:
    nodes = tuple(f"{pool.queue}-{number}" for number in numbers)
    return Launch(token=token, pool=pool, nodes=nodes, minimum=minimum, asked=NOW, sizes=sizes)


def inside(gce: FakeGce) -> Send:
    """Requests that do not leave the process."""

    def send(method: str, url: str, headers, body: bytes) -> Answer:
        status, found, text = gce.send(method, url.removeprefix(gce.base), headers, body)
        return Answer(status=status, headers=found, body=text)

    return send


def make_driver(
    gce: FakeGce, send: Send, sleep: Callable[[float], None] = lambda seconds: None, cluster: str = "cfd"
) -> GcpDriver:
    """A driver of the cluster."""
    tokens = Tokens(Metadata(gce.base, inside(gce)), gce.clock)
    place = Place(project=PROJECT, bucket=BUCKET, regions=(REGION,), compute=gce.base, storage=gce.base)
    return GcpDriver(cluster, place, tokens, send, gce.clock, sleep)


def restarted(gce: FakeGce, clock) -> GcpDriver:
    """The driver of a daemon that has just started."""

    def sleep(seconds: float) -> None:
        clock.now += seconds

    return make_driver(gce, inside(gce), sleep)


def numbers(gce: FakeGce) -> list[str]:
    """Names of the machines that cost money."""
    return sorted(vm.name for vm in gce.live())
