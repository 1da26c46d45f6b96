from pathlib import Path

import pytest

from hpc_components.spec.findings import Level
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.validate import Judgement, judge, judge_stack
from tests.spec.described import RIGHT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A folder with the stack `cfd`."""
    put(tmp_path, "cfd", RIGHT)
    return tmp_path


def put(folder: Path, stack: str, cluster: str) -> None:
    below = "".join(f"    {line}\n" for line in cluster.splitlines())
    (folder / f"Pulumi.{stack}.yaml").write_text(f"config:\n  hpc:cluster:\n{below}")


def judged(folder: Path, stack: str = "cfd") -> Judgement:
    return judge_stack(open_stack_file(folder / f"Pulumi.{stack}.yaml"))


def test_two_stacks_with_a_cluster_of_one_name_in_a_region_are_both_told(config: Path) -> None:
    put(config, "twin", RIGHT)
    for stack, other in (("cfd", "twin"), ("twin", "cfd")):
        (error,) = judged(config, stack).errors
        assert (error.id, error.level, error.path, error.value) == ("HPC-STK-001", Level.ERROR, "name", "cfd")
        assert (error.line, error.column) == (4, 11)
        assert f"Pulumi.{other}.yaml has a cluster with the same name in us-east-2: both" in error.reason


@pytest.mark.parametrize("cluster", ["aws", "azure", "gcp"])
def test_many_stacks_of_one_name_are_one_finding(config: Path, cluster: str) -> None:
    text = {"aws": RIGHT, "azure": AZURE, "gcp": GOOGLE}[cluster]
    put(config, "cfd", text)
    for number in range(46):
        put(config, f"twin{number:02}", text)
    (error,) = judged(config).errors
    assert error.reason.startswith(f"46 other stacks ({config}/Pulumi.twin00.yaml, ")
    assert "twin03" not in error.reason


def test_findings_of_the_file_itself_come_before_those_of_other_files(config: Path) -> None:
    put(config, "cfd", RIGHT + "queus: []\n")
    put(config, "twin", RIGHT)
    assert [each.id for each in judged(config).errors][-1] == "HPC-STK-001"
    assert len(judged(config).errors) == 2


@pytest.mark.parametrize(
    "other",
    [
        RIGHT.replace("name: cfd", "name: cfd-2"),
        RIGHT.replace("region: us-east-2", "region: us-east-1"),
        RIGHT.replace("name: cfd", "name: [cfd]"),
        "cfd",
    ],
    ids=["another name", "another region", "no name", "no mapping"],
)
def test_other_stacks_are_no_matter(config: Path, other: str) -> None:
    put(config, "other", other)
    assert "HPC-STK-001" not in {each.id for each in judged(config).findings}


AZURE = """\
cloud: azure
name: cfd
region: eastus
zone: eastus-1
network: {cidr: 10.20.0.0/16}
head_node: {machine: Standard_D4s_v5}
queues: [{name: cpu, machine: Standard_D16s_v5, max: 1}]
"""


def test_where_names_are_of_all_regions_another_region_is_told_too(config: Path) -> None:
    put(config, "cfd", AZURE)
    put(config, "west", AZURE.replace("eastus", "westus2"))
    put(config, "other", AZURE.replace("name: cfd", "name: other"))
    (error,) = judged(config).errors
    assert (error.id, error.path) == ("HPC-STK-001", "name")
    assert "Pulumi.west.yaml has a cluster with the same name on Azure: both" in error.reason


GOOGLE = """\
cloud: gcp
project: acme-hpc
name: cfd
region: us-central1
zone: us-central1-a
network: {cidr: 10.20.0.0/16}
head_node: {machine: n2-standard-4}
queues: [{name: cpu, machine: c3-standard-88, max: 1}]
"""


def beginnings(folder: Path, stack: str) -> list[str]:
    return [each.reason for each in judged(folder, stack).findings if each.id == "HPC-STK-002"]


def test_where_permissions_go_by_names_one_that_begins_another_is_told_to_both(config: Path) -> None:
    """The head node of cfd may delete what is called cfd-..., and the machines of cfd-test are."""
    put(config, "cfd", GOOGLE)
    put(config, "test", GOOGLE.replace("name: cfd", "name: cfd-test").replace("us-central1", "europe-west4"))
    put(config, "tests", GOOGLE.replace("name: cfd", "name: cfdtest"))
    may = "the head node of cfd could delete machines of cfd-test, because their names also begin with cfd-"
    assert beginnings(config, "cfd") == [f"{config}/Pulumi.test.yaml has the cluster cfd-test: {may}"]
    assert beginnings(config, "test") == [f"{config}/Pulumi.cfd.yaml has the cluster cfd: {may}"]
    assert beginnings(config, "tests") == []


def test_beginning_of_many_names_is_one_finding(config: Path) -> None:
    put(config, "cfd", GOOGLE)
    for number in range(5):
        put(config, f"t{number}", GOOGLE.replace("name: cfd", f"name: cfd-t{number}"))
    (reason,) = beginnings(config, "cfd")
    assert reason.startswith("5 other stacks (")
    assert "machines of cfd-t0, cfd-t1, cfd-t2, cfd-t3 (1 more)" in reason


@pytest.mark.parametrize(
    "other",
    [
        GOOGLE.replace("name: cfd", "name: cfd-test").replace("acme-hpc", "acme-test"),
        RIGHT.replace("name: cfd", "name: cfd-test"),
    ],
    ids=["another project", "another cloud"],
)
def test_names_that_begin_alike_elsewhere_are_not_counted(config: Path, other: str) -> None:
    put(config, "cfd", GOOGLE)
    put(config, "test", other)
    assert (beginnings(config, "cfd"), beginnings(config, "test")) == ([], [])
    put(config, "cfd", RIGHT)
    assert (beginnings(config, "cfd"), beginnings(config, "test")) == ([], [])


def test_stacks_that_cannot_be_read_or_describe_no_cluster_are_passed_over(config: Path) -> None:
    (config / "Pulumi.tab.yaml").write_text("\tconfig:\n")
    (config / "Pulumi.web.yaml").write_text("config: {own:word: x}\n")
    assert judged(config).errors == ()


ELSEWHERE = RIGHT + "silence: {HPC-STK-001: twin is in the account for tests}\n"


def test_in_two_accounts_it_is_silenced(config: Path) -> None:
    put(config, "cfd", ELSEWHERE)
    put(config, "twin", RIGHT)
    judgement = judged(config)
    assert judgement.errors == ()
    assert [each.id for each in judgement.silenced] == ["HPC-STK-001"]


def test_silence_in_vain_is_told_by_who_sees_the_other_stacks_alone(config: Path) -> None:
    put(config, "cfd", ELSEWHERE)
    assert "HPC-SIL-004" in {each.id for each in judged(config).findings}
    alone = judge(open_stack_file(config / "Pulumi.cfd.yaml").cluster)
    assert "HPC-SIL-004" not in {each.id for each in alone.findings}


SHARED = RIGHT.replace("{type: efs, mount: /home}", "{type: efs, mount: /home, existing: fs-0123456789abcdef0}")
ADA = "people: {users: {ada: {uid: 2001}}}\n"


def shared_ids(folder: Path, stack: str) -> list[tuple[str, str]]:
    return [(each.path, each.reason) for each in judged(folder, stack).errors if each.id == "HPC-STK-003"]


@pytest.mark.parametrize(
    ("other", "path"),
    [
        ("people: {users: {ben: {uid: 2001}}}", "people.users.ben"),
        ("people: {groups: {ben: {gid: 2001}}}", "people.groups.ben"),
        ("people: {users: {ada: {uid: 2001}, ben: {uid: 2002}}}", ""),
    ],
)
def test_an_id_of_two_people_on_one_file_system_is_an_error(config: Path, other: str, path: str) -> None:
    put(config, "cfd", SHARED + ADA)
    put(config, "other", SHARED.replace("name: cfd", "name: other") + other)
    found = shared_ids(config, "other")
    assert [each for each, _ in found] == ([path] if path else [])
    for _, reason in found:
        assert reason.startswith(f"in {config}/Pulumi.cfd.yaml, 2001 is the id of ada, and both clusters mount")
    assert len(shared_ids(config, "cfd")) == len(found)


def test_clusters_with_file_systems_of_their_own_can_use_the_same_ids(config: Path) -> None:
    put(config, "cfd", RIGHT + ADA)
    put(config, "other", RIGHT.replace("name: cfd", "name: other") + ADA.replace("ada", "ben"))
    assert shared_ids(config, "other") == []


def test_ids_of_a_shared_file_of_people_are_compared(config: Path) -> None:
    (config / "people.yaml").write_text("users: {ada: {uid: 2001}}\n")
    put(config, "cfd", SHARED + "people: {files: [people.yaml]}\n")
    put(config, "other", SHARED.replace("name: cfd", "name: other") + ADA.replace("ada", "ben"))
    assert [path for path, _ in shared_ids(config, "other")] == ["people.users.ben"]
