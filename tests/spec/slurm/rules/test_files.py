"""Files that settings name: where nodes have them, and where slurmctld ends without."""

from typing import Any

import pytest

from hpc_components.spec.findings import Level
from hpc_components.spec.slurm.files import file_settings
from hpc_components.spec.slurm.keys import slurm_key
from hpc_components.spec.slurm.ownership import OWNED

from ...rules.judged import levels, problems, queue

RULE = "HPC-SLM-041"
HOME = {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"}}
SVM = "svm-0123456789abcdef0.fs-0123456789abcdef1.fsx.us-east-2.amazonaws.com"
THERE = {"home": {"type": "nfs", "mount": "/home", "existing": {"server": SVM, "export": "/vol_home"}}}
FILETXT = {"JobCompType": "jobcomp/filetxt"}


def found(settings: dict[str, Any], **changes: Any) -> list[Level]:
    return levels(RULE, **{"storage": HOME, "slurm": {"settings": settings}} | changes)


@pytest.mark.parametrize(
    "settings",
    [
        FILETXT,
        FILETXT | {"JobCompLoc": "/home/slurm/completions.log"},
        FILETXT | {"JobCompLoc": "/home/completions.log"},
        FILETXT | {"JobCompLoc": "/var/log/completions.log"},
        {"SlurmSchedLogFile": "/var/log/sched.log"},
        {"EpilogSlurmctld": "/opt/site/epilog"},
    ],
)
def test_file_without_which_slurmctld_does_not_start_is_an_error(settings: dict[str, Any]) -> None:
    assert found(settings) == [Level.ERROR]


@pytest.mark.parametrize(
    "settings",
    [
        FILETXT | {"JobCompLoc": "/var/log/slurm/completions.log"},
        {"JobCompLoc": "/home/slurm/completions.log"},
        {"JobCompType": "jobcomp/elasticsearch", "JobCompLoc": "http://search.example.org:9200/slurm"},
        {"SlurmSchedLogFile": "/var/log/slurm/sched.log"},
        {"MailProg": "/usr/bin/mail"},
        {"MailProg": "mail"},
        {"TaskProlog": "/home/site/task_prolog.sh"},
        {"TmpFS": "/tmp"},
        {"HealthCheckProgram": "/usr/sbin/nhc"},
    ],
)
def test_file_that_nodes_have_is_right(settings: dict[str, Any]) -> None:
    assert found(settings) == []


def test_existing_file_system_may_have_the_directory() -> None:
    settings = FILETXT | {"JobCompLoc": "/home/slurm/completions.log"}
    assert found(settings, storage=THERE) == [Level.WARNING]


def test_program_on_a_new_file_system_is_not_there_at_first() -> None:
    assert found({"EpilogSlurmctld": "/home/site/epilog"}) == [Level.WARNING]


def test_own_images_may_have_the_program() -> None:
    settings = {"TaskProlog": "/opt/site/prolog"}
    assert found(settings) == [Level.WARNING]
    assert found(settings, queues=[queue(image="ami-0123456789abcdef0")]) == []


def test_proposed_path_is_right() -> None:
    for record in file_settings():
        beside = dict([record.beside]) if record.beside else {}
        if record.instead is not None:
            (problem,) = problems(RULE, slurm={"settings": beside | {record.name: "/nowhere/file"}})
            assert problem.fix[0].value == record.instead
            assert found(beside | {record.name: record.instead}) == []


def test_every_record_is_of_a_key_that_users_may_set() -> None:
    for record in file_settings():
        assert slurm_key("global", record.name), record.name
        assert record.name not in OWNED
