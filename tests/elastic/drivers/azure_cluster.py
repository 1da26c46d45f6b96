"""Two clusters' scale sets and availability sets in one resource group, and drivers for the first."""

from collections.abc import Callable

from hpc_components.elastic.drivers.azure.driver import AzureDriver, Place
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens
from hpc_components.elastic.drivers.http import Answer, Send
from hpc_components.elastic.model import Launch, Pool

from .arm_shapes import tags_of
from .fake_arm import BLOBS, CONFIG, GROUP, IDENTITY, FakeArm
from .fake_login_sets import OWN_GROUP, LoginSet

QUEUE = "cpu"
NOW = 1_790_000_000.0
FIRST = Pool(queue=QUEUE, machine="Standard_HB176rs_v4", zone="eastus-1", purchase="on_demand")
NAMED = Pool(queue=QUEUE, machine="Standard_HB120rs_v3", zone="eastus", purchase="on_demand")
"""Of an availability set, which is in no zone."""
SECOND = Pool(queue=QUEUE, machine="Standard_D4s_v5", zone="eastus-2", purchase="spot")
LOGIN_MACHINE = "Standard_D4s_v5"


def set_name(pool: Pool, cluster: str = "cfd") -> str:
    """As `InfinibandComputeFleet` names its scale sets and availability sets."""
    machine = pool.machine.removeprefix("Standard_").lower().replace("_", "-")
    _, _, number = pool.zone.partition("-")
    return f"{cluster}-{pool.queue}-{machine}-{number or 'r'}"


def add_sets(arm: FakeArm, *pools: Pool, cluster: str = "cfd", config: str = CONFIG) -> None:
    """A scale set for each pool; those of spot machines are flexible, and what is in no zone an availability set."""
    for pool in pools:
        tags = tags_of(cluster, pool.queue, pool.machine, pool.zone, pool.purchase, config)
        name, spot, named = set_name(pool, cluster), pool.purchase == "spot", "-" not in pool.zone
        if named:
            tags = {**tags, "hpc:template": f"/template/{name}"}
        arm.add_set(name, pool.machine, pool.zone, tags, spot=spot, flexible=spot, named=named)


def add_login_node(
    arm: FakeArm, address: str, *, cluster: str = "cfd", config: str = CONFIG, running: bool = True
) -> None:
    tags = {"ClusterName": cluster, "hpc:config": config, "hpc:role": "login"}
    login = LoginSet(f"{cluster}-login", tags, LOGIN_MACHINE)
    login = arm.login_sets.setdefault(login.name, login)
    login.nodes[address] = "running" if running else "deallocated"


def launch(*numbers: int, minimum: int = 1, token: str = "t1", pool: Pool = FIRST) -> Launch:
    nodes = tuple(f"{pool.queue}-{number}" for number in numbers)
    return Launch(token=token, pool=pool, nodes=nodes, minimum=minimum, asked=NOW)


def inside(arm: FakeArm) -> Send:
    """Requests that do not leave the process."""

    def send(method: str, url: str, headers, body: bytes) -> Answer:
        status, found, text = arm.send(method, url, headers, body)
        return Answer(status=status, headers=found, body=text)

    return send


def make_driver(
    arm: FakeArm,
    send: Send,
    sleep: Callable[[float], None] = lambda seconds: None,
) -> AzureDriver:
    """A driver of the cluster cfd."""
    tokens = Tokens(Metadata("http://imds.test", lambda *request: inside(arm)(*request)), IDENTITY, arm.clock)
    place = Place(arm=arm.base, group=GROUP, own_group=OWN_GROUP, config=CONFIG, blobs=f"{arm.base}{BLOBS}")
    return AzureDriver("cfd", place, tokens, send, arm.clock, arm.clock, sleep)
