"""The range of a new network beside the addresses from which it is reached, and which it reaches."""

import pytest

from hpc_components.spec.findings import Level

from .judged import existing, levels, paths, problems

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurm-db-AbCdEf"


def reached_from(*ranges: str, cidr: str = "10.20.0.0/16") -> list[Level]:
    return levels("HPC-NET-050", network={"cidr": cidr, "ssh_from": list(ranges)})


@pytest.mark.parametrize("campus", ["10.20.0.0/16", "10.20.4.0/22", "10.20.255.255/32"])
def test_site_within_the_new_network_is_a_warning(campus: str) -> None:
    assert reached_from(campus) == [Level.WARNING]


@pytest.mark.parametrize("campus", ["10.0.0.0/8", "10.16.0.0/12"])
def test_wide_range_around_the_cluster_is_an_info(campus: str) -> None:
    assert reached_from(campus) == [Level.INFO]


@pytest.mark.parametrize("campus", ["10.21.0.0/16", "198.51.100.0/24", "192.168.0.0/16", "0.0.0.0/0"])
def test_ranges_apart_are_right(campus: str) -> None:
    assert reached_from(campus) == []


def test_proposed_range_is_apart_and_as_large() -> None:
    network = {"cidr": "10.20.0.0/18", "ssh_from": ["10.20.0.0/20"]}
    (problem,) = problems("HPC-NET-050", network=network)
    (change,) = problem.fix
    assert str(change.value).endswith("/18")
    assert reached_from("10.20.0.0/20", cidr=str(change.value)) == []


def test_bastion_in_an_existing_network_is_right() -> None:
    assert not paths("HPC-NET-050", network=existing() | {"ssh_from": ["10.0.4.0/24"]})


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("10.20.5.6", [Level.ERROR]),
        ("10.30.5.6", [Level.WARNING]),
        ("198.51.100.7", []),
        ("slurm.cluster-abc.us-east-2.rds.amazonaws.com", []),
    ],
)
def test_database_has_an_address_that_exists(host: str, found: list[Level]) -> None:
    slurm = {"accounting": {"database": {"host": host, "password_secret": SECRET}}}
    assert levels("HPC-NET-051", slurm=slurm) == found
    assert not levels("HPC-NET-051", slurm=slurm, network=existing())


def test_file_server_in_the_new_network_is_one_finding() -> None:
    server = {"server": "10.20.9.4", "export": "/home"}
    storage = {"home": {"type": "nfs", "mount": "/home", "existing": server}}
    assert paths("HPC-NET-051", storage=storage) == ["storage.home.existing"]
    assert not paths("HPC-MNT-007", storage=storage)


def test_package_archive_in_the_new_network_is_found() -> None:
    assert paths("HPC-NET-051", slurm={"package_source": "https://10.20.0.9/slurm"}) == ["slurm.package_source"]
