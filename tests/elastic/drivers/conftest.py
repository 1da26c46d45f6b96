"""Accounts with what clusters need of them, and drivers for them."""

import socketserver

import pytest
from serving import serving

from hpc_components.elastic.drivers.aws.api import ec2_client
from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.local.driver import LocalDriver, answer
from hpc_components.elastic.model import Launch, Pool

from .ec2_server import Ec2Server
from .fake_ec2 import FakeEc2
from .fake_gce import FakeGce
from .gcp_cluster import FIRST, SECOND, add_fleets, inside, make_driver

QUEUE = "cpu"
MACHINES = ("c7i.large", "c6i.large")
ZONES = ("use2-az1", "use2-az2")
NOW = 1_790_000_000.0


class Clock:
    """Time that only tests move."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def pool(machine: str = "c7i.large", zone: str = "use2-az1", purchase: str = "on_demand", queue: str = QUEUE) -> Pool:
    return Pool(queue=queue, machine=machine, zone=zone, purchase=purchase)


def launch(*numbers: int, minimum: int = 1, token: str = "t1", source: Pool | None = None) -> Launch:
    source = source or pool()
    nodes = tuple(f"{source.queue}-{number}" for number in numbers)
    return Launch(token=token, pool=source, nodes=nodes, minimum=minimum, asked=NOW)


def own_tags(queue: str, machine: str, zone: str, cluster: str = "cfd", config: str = "") -> dict[str, str]:
    """As `EfaComputeFleet` tags its templates."""
    config = config or f"{cluster}-config"
    known_by = {"role": "compute", "queue": queue, "config": config, "machine": machine, "zone": zone}
    return {"Name": "x", "Project": "wing", "ClusterName": cluster, **{f"hpc:{k}": v for k, v in known_by.items()}}


def add_templates(ec2: FakeEc2, cluster: str = "cfd", config: str = "") -> None:
    for machine in MACHINES:
        for zone in ZONES:
            tags = own_tags(QUEUE, machine, zone, cluster, config)
            seen = {key: tags[key] for key in ("Project", "ClusterName", "hpc:role", "hpc:queue", "hpc:config")}
            ec2.add_template(
                f"{config or cluster}-{machine}-{zone}", machine, zone, tags, instance_tags={**seen, "Name": "node"}
            )


@pytest.fixture(scope="session")
def _server():
    with serving(Ec2Server(FakeEc2())) as server:
        yield server


@pytest.fixture(scope="session")
def credentials():
    """In the environment, whatever else this machine has."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "test")
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            patch.setenv(name, "/dev/null")
        yield


@pytest.fixture
def no_credentials(credentials, monkeypatch):
    """And nobody who gives any."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(scope="session")
def client(_server, credentials):
    return ec2_client("us-east-2", _server.url)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ec2(clock):
    """The account."""
    ec2 = FakeEc2(clock)
    add_templates(ec2)
    return ec2


@pytest.fixture
def server(_server, ec2):
    """The account behind HTTP."""
    _server.ec2, _server.latency = ec2, 0.0
    _server.lose_answers.clear()
    return _server


@pytest.fixture
def aws(server, client, clock):
    return AwsDriver("cfd", "cfd-config", client, clock, clock)


@pytest.fixture
def local(aws, tmp_path):
    """A local driver whose other end passes on to EC2."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(answer(aws, self.rfile.readline()))

    class Server(socketserver.UnixStreamServer):
        def handle_error(self, request, client_address) -> None:
            """The connection is closed without an answer, as the protocol has it."""

    path = str(tmp_path / "cloud")
    with serving(Server(path, Handler)):
        yield LocalDriver(path)


@pytest.fixture
def gce(clock):
    """Google Cloud with the fleets of a cluster."""
    gce = FakeGce(clock)
    add_fleets(gce, FIRST, SECOND)
    yield gce
    assert not gce.mistakes


@pytest.fixture
def close(gce):
    """Google Cloud with machines in policies of ten."""
    add_fleets(gce, FIRST, SECOND, machines=10)
    gce.most_of_a_policy = 10
    return gce


@pytest.fixture
def gcp(gce, clock):
    def sleep(seconds: float) -> None:
        clock.now += seconds

    return make_driver(gce, inside(gce), sleep)
