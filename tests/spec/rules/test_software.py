import pytest

from .judged import cluster, paths, problems, queue

HOME = {"home": {"type": "efs", "mount": "/home"}}
BOTH = HOME | {"scratch": {"type": "lustre", "mount": "/fsx", "size": "1.2TiB"}}
APPS = BOTH | {"apps": {"type": "nfs", "mount": "/apps", "size": "1TiB"}}


def built(**changes):
    return {"easybuild": {"install": ["zlib-1.3.1.eb"]} | changes}


@pytest.mark.parametrize(
    ("storage", "directory"),
    [(APPS, "/apps/hpc-software"), (BOTH, "/home/hpc-software"), ({"fsx": BOTH["scratch"]}, "/fsx/hpc-software")],
)
def test_software_is_built_where_it_lasts_longest(storage, directory):
    assert cluster(storage=storage, software=built()).build_directory == directory
    assert not paths("HPC-SFT-001", storage=storage, software=built())


@pytest.mark.parametrize("directory", ["/home", "/home/", "/opt/sw", "home/sw", "/home/../sw", "/homes/sw"])
def test_a_directory_that_is_not_shared_is_found(directory):
    (problem,) = problems("HPC-SFT-001", storage=HOME, software=built(directory=directory))
    assert problem.fix[0].value == "/home/hpc-software"


@pytest.mark.parametrize(
    "name", ["zlib-1.3.1.eb", "GROMACS-2024.4-foss-2023b.eb", "libsigc++-2.10.8-GCCcore-10.2.0.eb"]
)
def test_a_name_of_an_easyconfig_is_accepted(name):
    assert not paths("HPC-SFT-002", software=built(install=[name]))


@pytest.mark.parametrize("name", ["zlib", "zlib/1.3.1", "software/zlib-1.3.1.eb", "--rebuild.eb", "zlib-1.3.1.eb "])
def test_another_name_is_found(name):
    assert paths("HPC-SFT-002", software=built(install=[name])) == ["software.easybuild.install[0]"]


def test_a_name_twice_is_found():
    twice = ["zlib-1.3.1.eb", "zlib-1.3.1.eb"]
    assert paths("HPC-SFT-002", software=built(install=twice)) == ["software.easybuild.install[1]"]


ACCOUNTS = {"accounting": {"accounts": {"cfd": {"users": ["ada"]}}}}


@pytest.mark.parametrize(("account", "admitted", "found"), [("cfd", "cfd", 0), (None, "cfd", 1), (None, "ALL", 0)])
def test_queue_must_admit_the_account_of_the_build_job(account, admitted, found):
    software = built() | {}
    if account:
        software = built(account=account)
    queues = [queue(slurm={"AllowAccounts": admitted})]
    assert len(problems("HPC-SFT-004", software=software, slurm=ACCOUNTS, queues=queues)) == found


def test_build_job_has_an_account_of_its_own_only_if_there_are_accounts():
    assert cluster(software=built()).accounting is None
    assert cluster(software=built(), slurm={"accounting": {}}).accounting.accounts == {}
    accounts = cluster(software=built(), slurm=ACCOUNTS).accounting.accounts
    assert accounts["hpc-software"].users == ("hpc-software",)
    assert cluster(software=built(account="cfd"), slurm=ACCOUNTS).accounting.default_accounts == {
        "ada": "cfd",
        "hpc-software": "cfd",
    }


def test_cache_must_fit_beside_the_system():
    assert not problems("HPC-SFT-011", software={"eessi": {"cache": "44GiB"}})
    (head, nodes) = problems("HPC-SFT-011", software={"eessi": {"cache": "45GiB"}})
    assert "the head node" in head.reason
    assert "queue cpu" in nodes.reason
    on_disks = [queue(local_scratch="/scratch")]
    assert len(problems("HPC-SFT-011", software={"eessi": {"cache": "45GiB"}}, queues=on_disks)) == 1


@pytest.mark.parametrize(("network", "public", "found"), [("none", False, 1), ("none", True, 0), ("one", False, 0)])
def test_eessi_needs_a_way_out_for_the_proxy(network, public, found):
    head = {"machine": "c6i.xlarge", "public": public}
    there = {"cidr": "10.20.0.0/16", "nat": network}
    assert len(problems("HPC-SFT-010", software={"eessi": {}}, network=there, head_node=head)) == found
