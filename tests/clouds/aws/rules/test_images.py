import pytest

from hpc_components.catalog import operating_systems
from hpc_components.spec.slurm.packages import own_slurm
from tests.spec.rules.judged import paths, problems, queue

AMI = "ami-0123456789abcdef0"
SCRATCH = {"scratch": {"type": "lustre", "mount": "/fsx", "size": "1.2TiB"}}


@pytest.mark.parametrize("system", operating_systems(), ids=lambda system: system.name)
def test_an_operating_system_must_be_supported(system):
    usable = system.status in ("default", "supported", "untested")
    assert (not paths("HPC-OSI-001", os=system.name)) is (usable or system.status == "retired")
    assert (not paths("HPC-OSI-002", os=system.name)) is (system.status != "retired")


@pytest.mark.parametrize("system", operating_systems(), ids=lambda system: system.name)
def test_names_of_other_tools_are_understood_and_refused(system):
    for alias in system.aliases:
        found = paths("HPC-OSI-001", os=alias) + paths("HPC-OSI-002", os=alias)
        assert found == ["os"], alias


def test_end_of_life_is_told_with_a_way_out():
    (problem,) = problems("HPC-OSI-002", os="alinux2")
    assert problem.reason == "Amazon Linux 2 reached its end of life on 2026-06-30"
    assert problem.remedy == "use ubuntu-24.04"


@pytest.mark.parametrize(
    ("os", "version", "found"),
    [
        ("ubuntu-24.04", None, []),
        ("ubuntu-24.04", "24.11", ["slurm.version"]),
        ("debian-13", None, ["os"]),
        ("debian-13", "24.11", []),
        ("debian-12", "22.05", []),
        ("rocky-9", None, ["os"]),
        ("rocky-8", None, []),
    ],
)
def test_an_operating_system_has_its_slurm_release(os, version, found):
    slurm = {"version": version} if version else {}
    assert paths("HPC-OSI-003", os=os, slurm=slurm) == found
    assert not paths("HPC-OSI-003", os=os, slurm=slurm | {"package_source": "s3://bucket/slurm"})


def test_own_slurm_is_the_first_way_out():
    (problem,) = problems("HPC-OSI-003", os="debian-13")
    assert problem.remedy.startswith(
        'use slurm.version: "24.11", or use os: ubuntu-24.04, or set slurm.package_source to'
    )


def test_own_slurm_of_usable_systems_is_held():
    assert own_slurm("ubuntu-24.04") == "23.11"
    assert own_slurm("rocky-9") is None


@pytest.mark.parametrize(
    ("image", "right"), [(AMI, True), ("ami-0a1b2c3d", True), ("ami-0A1B2C3D", False), ("ubuntu", False)]
)
def test_an_image_has_a_right_id(image, right):
    node = {"machine": "c6i.xlarge", "image": image}
    found = paths("HPC-OSI-004", head_node=node, login_nodes=node, queues=[queue(image=image)])
    assert found == ([] if right else ["head_node.image", "login_nodes.image", "queues[0].image"])


def test_the_remedy_names_what_an_image_must_have():
    (problem,) = problems("HPC-OSI-005", queues=[queue(machine="p5.48xlarge", image=AMI)])
    assert (
        problem.remedy == "make sure that this is an x86_64 image in us-east-2 with ubuntu-24.04 and the H100 driver"
    )


@pytest.mark.parametrize(
    ("os", "machine", "right"),
    [
        ("ubuntu-24.04", "p5.48xlarge", True),
        ("ubuntu-24.04", "trn1.32xlarge", True),
        ("ubuntu-24.04", "c7i.4xlarge", True),
        ("debian-13", "c7i.4xlarge", True),
        ("debian-13", "g6.4xlarge", False),
    ],
)
def test_a_machine_must_have_a_public_image(os, machine, right):
    assert (not paths("HPC-OSI-006", os=os, queues=[queue(machine=machine)])) is right
    assert not paths("HPC-OSI-006", os=os, queues=[queue(machine=machine, image=AMI)])


def test_volta_needs_an_image_of_its_own():
    assert paths("HPC-OSI-007", queues=[queue(machine="p3dn.24xlarge")]) == ["queues[0].machine"]
    assert not paths("HPC-OSI-007", queues=[queue(machine="p3dn.24xlarge", image=AMI), queue(machine="g5.4xlarge")])


@pytest.mark.parametrize(
    ("os", "reason", "remedy"),
    [
        ("rhel-9", "Red Hat Enterprise Linux 9 is not supported", "use one of ubuntu-24.04, "),
        ("al2023", "Amazon Linux 2023 is not supported", "use one of ubuntu-24.04, "),
        ("ubuntu2404", "'ubuntu2404' is another tool's name for Ubuntu 24.04 LTS", "write ubuntu-24.04"),
        ("ubunto-24.04", "'ubunto-24.04' is not a known operating system", "did you mean ubuntu-24.04?"),
        ("plan9", "'plan9' is not a known operating system", "use one of ubuntu-24.04, "),
    ],
)
def test_a_wrong_operating_system_has_its_reason(os, reason, remedy):
    (problem,) = problems("HPC-OSI-001", os=os)
    assert problem.reason == reason
    assert problem.remedy.startswith(remedy)


def test_systems_with_an_image_for_the_machine_are_named():
    gpus = {"os": "debian-13", "queues": [queue(machine="g6.4xlarge")]}
    (problem,) = problems("HPC-OSI-006", **gpus)
    assert problem.remedy.endswith("or use os: ubuntu-24.04")
    (problem,) = problems("HPC-OSI-006", **gpus, slurm={"version": "24.11"})
    assert problem.remedy.endswith('or use os: ubuntu-24.04 with slurm.version: "23.11"')


def test_nodes_with_a_floating_image_are_named():
    (problem,) = problems("HPC-OSI-008", os="debian-13", queues=[queue(), queue(name="own", image=AMI)])
    assert problem.reason.startswith("the image for head_node, queue cpu is whichever version is newest")
    assert "Lustre" not in problem.reason
    assert not problems("HPC-OSI-008", os="ubuntu-24.04", queues=[queue()])
    own, gpu = {"machine": "c6i.xlarge", "image": AMI}, [queue(machine="g6.4xlarge")]
    (problem,) = problems("HPC-OSI-008", os="ubuntu-22.04", head_node=own, queues=gpu, storage=SCRATCH)
    assert "too new for the Lustre client" in problem.reason
    assert not problems("HPC-OSI-008", queues=gpu, storage=SCRATCH)  # HPC-OSI-009 says more
