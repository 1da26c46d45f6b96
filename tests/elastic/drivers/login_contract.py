"""The tests that a driver must pass if it lists login nodes. A cloud runs them as it runs those of `contract`."""

from collections.abc import Collection
from typing import Protocol

import pytest

from hpc_components.elastic.drivers.contract import Driver, LaunchError, LoginNodesListed
from hpc_components.elastic.model import LoginNode, Pool

from .contract import alive_in, launch


class LoginDriver(Driver, LoginNodesListed, Protocol):
    """A driver of both kinds of machines."""


class LoginNodesDouble(Protocol):
    """A stand-in for a cloud, with a driver of one of its clusters."""

    driver: LoginDriver
    pool: Pool
    """A pool of the cluster."""
    machine: str
    zone: str

    def add_login_node(self, address: str, *, cluster: str = "cfd", running: bool = True) -> None:
        """Start a login node of this type in this zone."""

    def live(self) -> Collection[str]:
        """Addresses of the login nodes that were not terminated."""

    def fail(self) -> None:
        """From now on the cloud refuses to list anything."""


class LoginNodesContract:
    """What a driver promises: see `LoginNodesListed`."""

    @pytest.fixture
    def cloud(self) -> LoginNodesDouble:
        raise NotImplementedError

    def test_running_login_nodes_of_the_cluster_are_listed(self, cloud: LoginNodesDouble) -> None:
        assert list(cloud.driver.login_nodes()) == []
        for address in ("10.20.1.5", "10.20.1.6"):
            cloud.add_login_node(address)
        cloud.add_login_node("10.20.1.7", running=False)
        cloud.add_login_node("10.20.1.8", cluster="other")
        cloud.driver.launch(launch(cloud.pool, [1]))
        expected = [LoginNode(address=f"10.20.1.{end}", machine=cloud.machine, zone=cloud.zone) for end in (5, 6)]
        assert sorted(cloud.driver.login_nodes(), key=lambda node: node.address) == expected

    def test_login_nodes_are_no_machines_that_the_daemon_ends(self, cloud: LoginNodesDouble) -> None:
        cloud.add_login_node("10.20.1.5")
        made = {each.id for each in cloud.driver.launch(launch(cloud.pool, [1]))}
        assert {each.id for each in cloud.driver.list()} == alive_in(cloud.driver) == made
        cloud.driver.terminate(made)
        assert list(cloud.live()) == ["10.20.1.5"]
        assert [node.address for node in cloud.driver.login_nodes()] == ["10.20.1.5"]

    def test_a_cloud_that_lists_nothing_is_an_error(self, cloud: LoginNodesDouble) -> None:
        cloud.add_login_node("10.20.1.5")
        cloud.fail()
        with pytest.raises((LaunchError, OSError)):
            cloud.driver.login_nodes()
