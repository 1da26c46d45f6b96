"""The configuration of ssh and sshd: which hosts and which addresses it covers."""

from fnmatch import fnmatchcase
from ipaddress import IPv4Network

import pytest

from hpc_components.boot.ssh import ssh_files

from .cluster import spec


def files(range: str = "10.90.0.0/16") -> dict[str, str]:
    queues = [{"name": name, "machine": "c7i.xlarge", "max": 2} for name in ("cpu", "gpu")]
    return ssh_files(spec(name="LAB", network={"cidr": range}, queues=queues))


def test_nodes_of_every_queue_are_recognized_under_both_names() -> None:
    configuration = files()
    for names in ("head,login-*,cpu-*,gpu-*,!*.*", "*.lab.hpc.internal"):
        assert f"\nMatch host {names}\n" in configuration["common/ssh.conf"]
    short, full = configuration["common/ssh_known_hosts"].splitlines()
    assert short == "@cert-authority head,login-*,cpu-*,gpu-*,!*.*"
    assert full == "@cert-authority *.lab.hpc.internal,10.90.*"


def test_keys_of_users_replace_trust_in_hosts() -> None:
    configuration = ssh_files(spec(people={"ssh_between_nodes": "personal_keys"}))
    assert "  IdentityFile ~/.ssh/id_hpc\n" in configuration["common/ssh.conf"]
    assert "HostbasedAuthentication yes" not in "".join(configuration.values())
    assert "EnableSSHKeysign" not in configuration["common/ssh.conf"]


def test_without_people_only_the_users_default_keys_count() -> None:
    configuration = "".join(files().values())
    assert "IdentityFile" not in configuration
    assert "AuthorizedKeysFile" not in configuration


@pytest.mark.parametrize("range", ["10.0.0.0/8", "10.16.0.0/12", "10.90.0.0/16", "10.90.64.0/18", "10.90.1.128/26"])
def test_patterns_match_the_addresses_of_the_network_and_no_others(range: str) -> None:
    network = IPv4Network(range)
    line = files(range)["common/ssh_known_hosts"].splitlines()[1]
    patterns = line.removeprefix("@cert-authority *.lab.hpc.internal,").split(",")
    before, after = network.network_address - 1, network.broadcast_address + 1
    found = [
        any(fnmatchcase(str(address), pattern) for pattern in patterns)
        for address in (before, network[0], network[1], network[-2], network[-1], after)
    ]
    assert found == [False, True, True, True, True, False]
    assert f"\nMatch Address {range}\n" in files(range)["compute/sshd.conf"]


def test_in_a_network_that_is_there_already_its_addresses_count() -> None:
    subnet = {"id": "subnet-0123456789abcdef0", "cidr": "172.30.4.0/22"}
    existing = {"vpc": "vpc-0123456789abcdef0", "cidr": "172.30.0.0/16", "private": {"use2-az2": subnet}}
    configuration = ssh_files(spec(network={"existing": existing}))
    assert "\nMatch Address 172.30.0.0/16\n" in configuration["compute/sshd.conf"]
    assert configuration["common/ssh_known_hosts"].endswith(",172.30.*\n")
