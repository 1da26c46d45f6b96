"""Login nodes, as the drivers of the three clouds list them. Each page of a list has one machine."""

from collections.abc import Sequence

import pytest

from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.model import Pool

from .azure_cluster import FIRST as AZURE_POOL
from .azure_cluster import LOGIN_MACHINE, add_login_node, add_sets
from .azure_cluster import inside as inside_azure
from .azure_cluster import make_driver as azure_driver
from .conftest import NOW, Clock, pool
from .ec2_shapes import Machine, Template
from .fake_arm import AzureError, FakeArm
from .fake_ec2 import Ec2Error, FakeEc2
from .fake_gce import FakeGce
from .gce_shapes import FaultError, Vm
from .gce_shapes import Template as GceTemplate
from .gcp_cluster import FIRST as GCP_POOL
from .gcp_cluster import add_fleets, make_driver
from .gcp_cluster import inside as inside_gcp
from .login_contract import LoginNodesContract


class Ec2Double:
    pool: Pool = pool()
    machine, zone = "m6i.large", "use2-az2"

    def __init__(self, driver: AwsDriver, ec2: FakeEc2) -> None:
        self.driver, self._ec2 = driver, ec2
        ec2.page = 1

    def add_login_node(self, address: str, *, cluster: str = "cfd", running: bool = True) -> None:
        _, *rest = map(int, address.split("."))
        id = f"i-{int.from_bytes(bytes(rest), 'big'):017x}"  # by which the stand-in chooses the address
        tags = {"ClusterName": cluster, "hpc:config": f"{cluster}-config", "hpc:role": "login"}
        template = Template("lt-login", "login", self.machine, self.zone, tags)
        self._ec2.machines[id] = Machine(id, 0, template, tags, "", NOW, stopped=not running)

    def live(self) -> Sequence[str]:
        numbers = [int(each.id[2:], 16) for each in self._ec2.live() if each.tags["hpc:role"] == "login"]
        return [".".join(map(str, (10, *number.to_bytes(3, "big")))) for number in numbers]

    def fail(self) -> None:
        self._ec2.fail["DescribeInstances"] = Ec2Error("UnauthorizedOperation", "No.", 403)


class AzureDouble:
    pool = AZURE_POOL
    machine, zone = LOGIN_MACHINE, "eastus-1"

    def __init__(self) -> None:
        self.arm = FakeArm(Clock())
        self.arm.page = 1
        add_sets(self.arm, self.pool)
        self.driver = azure_driver(self.arm, inside_azure(self.arm))

    def add_login_node(self, address: str, *, cluster: str = "cfd", running: bool = True) -> None:
        add_login_node(self.arm, address, cluster=cluster, running=running)

    def live(self) -> Sequence[str]:
        return [address for each in self.arm.login_sets.values() for address in each.nodes]

    def fail(self) -> None:
        self.arm.fail["list interfaces"] = AzureError("AuthorizationFailed", "No.", 403)


class GcpDouble:
    pool = GCP_POOL
    machine, zone = "n2-standard-4", "us-central1-b"

    def __init__(self) -> None:
        self.gce = FakeGce(Clock())
        self.gce.page = 1
        add_fleets(self.gce, self.pool)
        self.driver = make_driver(self.gce, inside_gcp(self.gce))

    def add_login_node(self, address: str, *, cluster: str = "cfd", running: bool = True) -> None:
        name, labels = f"{cluster}-login-{len(self.gce.vms)}", {"clustername": cluster, "hpc_role": "login"}
        template, power = GceTemplate(self.machine, labels), "" if running else "TERMINATED"
        self.gce.vms.append(Vm(name, name, self.zone, template, labels, [], NOW, NOW, power=power, address=address))

    def live(self) -> Sequence[str]:
        return [vm.address for vm in self.gce.live() if vm.labels["hpc_role"] == "login"]

    def fail(self) -> None:
        self.gce.fail["list"] = FaultError("forbidden", "No.", 403)


class TestAws(LoginNodesContract):
    @pytest.fixture
    def cloud(self, aws: AwsDriver, ec2: FakeEc2) -> Ec2Double:
        return Ec2Double(aws, ec2)


class TestAzure(LoginNodesContract):
    @pytest.fixture
    def cloud(self) -> AzureDouble:
        return AzureDouble()


class TestGcp(LoginNodesContract):
    @pytest.fixture
    def cloud(self) -> GcpDouble:
        return GcpDouble()


def test_a_login_node_of_azure_without_an_address_is_left_out() -> None:
    cloud = AzureDouble()
    for address in ("", "10.20.1.6"):
        cloud.add_login_node(address)
    assert [node.address for node in cloud.driver.login_nodes()] == ["10.20.1.6"]


def test_compute_nodes_in_the_group_of_the_head_node_are_no_login_nodes() -> None:
    cloud = AzureDouble()
    cloud.add_login_node("10.20.1.5")
    (login,) = cloud.arm.login_sets.values()
    login.tags = {**login.tags, "hpc:role": "compute"}
    assert list(cloud.driver.login_nodes()) == []
