"""From answers to diagnoses: what no test can break for real, and what must never be a false cause."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.operate.doctor import questions
from hpc_components.operate.doctor.ask import Examination
from hpc_components.operate.doctor.cause import Step, all_causes, cause
from hpc_components.operate.doctor.diagnose import Diagnosis, diagnose
from hpc_components.operate.doctor.document import Target, doctor_document
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.machine_facts import read_credential, read_file_systems, read_units
from hpc_components.operate.doctor.text import doctor_text
from hpc_components.operate.doctor.unreachable import TITLES
from hpc_components.operate.sections import Section, Sections
from hpc_components.report.text import plain_text

from .test_status import DAEMON

PAGES = Path(__file__).parents[2] / "docs"

CREDENTIAL = """\
STATUS:          Success (0)
ENCODE_TIME:     2026-11-29 05:02:45 +0000 (1795928565)
DECODE_TIME:     2026-11-29 05:02:45 +0000 (1795928565)
"""

UNIT = """\
Id={unit}
LoadState=loaded
ActiveState={state}
Result={result}
UnitFileState=enabled
"""

PEOPLE_FAILED = UNIT.format(unit="hpc-people.service", state="failed", result="exit-code")

WELL: dict[str, Section] = {
    "time": Section("1790000003 2026-09-21T14:13:23", 0),
    "space": Section("/dev/x 1000000 1 900000 1% /\n/dev/y 1000000 1 900000 1% /var/lib/hpc", 0),
    "mounted": Section("/dev/x / ext4 rw,relatime 0 0\n/dev/y /var/lib/hpc ext4 rw 0 0", 0),
    "fstab": Section("# hpc begin state\n# hpc end state", 0),
    "units": Section(UNIT.format(unit="slurmctld.service", state="active", result="success"), 0),
    "synchronized": Section("yes", 0),
    "munge": Section(CREDENTIAL, 0),
    "boot": Section('{"result": "ready"}', 0),
    "killed": Section("", 1),
    "munge_keys": Section("a  /etc/munge/munge.key\na  /var/lib/hpc/keys/munge", 0),
    "accounting": Section("", 1),
    "accounts": Section("You are not running a supported accounting_storage plugin", 1),
    "controller_log": Section("", 1),
    "ping": Section("Slurmctld(primary) at head is UP", 0),
    "partitions": Section("q|up", 0),
    "nodes": Section("q-1|q|idle|Unknown|none\nq-2|q|idle~|Unknown|none", 0),
    "jobs": Section("", 0),
    "names": Section("", 0),
    "elastic": Section(json.dumps(DAEMON | {"blocked": [], "events": [], "queues": []}), 0),
    "check": Section("ok     Slurm is responding", 0),
}


def found(**changes: Section | str) -> list[Diagnosis]:
    """Diagnoses of a cluster that is well but for these answers."""
    answers = {name: each if isinstance(each, Section) else Section(each, 0) for name, each in changes.items()}
    return diagnose(Facts(WELL | answers, ended=1790000003.5))


def ids(those: list[Diagnosis]) -> list[str]:
    return [each.id for each in those]


def test_answers_of_a_well_cluster_lead_to_nothing() -> None:
    assert found() == []
    assert Facts(WELL).left_out == []


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"mounted": "/dev/x / ext4 rw 0 0"}, "state-volume-missing"),
        ({"mounted": "/dev/x / ext4 rw 0 0\n/dev/y /var/lib/hpc ext4 ro,noatime 0 0"}, "state-volume-read-only"),
        ({"inodes": "/dev/x 1000 999 1 100% /"}, "inodes-full"),
        ({"space": "/dev/x 1000000 960000 40000 96% /"}, "disk-nearly-full"),
        ({"killed": "2026-09-21T14:00:00 head kernel: Out of memory: Killed process 7 (slurmctld)"}, "out-of-memory"),
        ({"synchronized": "no"}, "clock-wrong"),
        ({"time": "1790000300 2026-09-21T14:18:20"}, "clock-wrong"),
        ({"shared": "silent - /fsx fs-1@tcp:/abc"}, "share-gone"),
        ({"shared": "fine 1/100 /fsx fs-1@tcp:/abc"}, "share-full"),
        ({"names": "q-1", "units": UNIT.format(unit="hpc-names", state="active", result="")}, "names-unknown"),
        ({"boot": '{"result": "configuration: queue q has jobs and its nodes change: set"}'}, "configuration-waits"),
        ({"elastic": Section("hpc-elastic: error: no daemon is listening", 3),
          "said": "hpc-elastic no AWS credentials: the machine has no role"}, "elastic-without-credentials"),
        ({"check": Section("wrong  these nodes are unknown to Slurm and are never launched: q-3", 1)},
         "elastic-disagrees"),
        ({"nodes": "q-1|q|down~|x|hpc: budget: the cluster's budget of 9 USD is spent"}, "budget-spent"),
        ({"nodes": "q-1|q|down~|x|hpc: machines do not come up: m in z: three ended; next try 14:05"},
         "machines-do-not-come-up"),
        ({"nodes": "q-1|q|down~|x|hpc: no answer: m in z: timed out; next try 14:05"}, "no-answer-to-launch"),
        ({"nodes": "q-1|q|drained|x|gres/gpu count reported lower than configured (0 < 4)"},
         "node-smaller-than-described"),
        ({"nodes": "q-1|q|down|x|ResumeTimeout reached"}, "node-did-not-register"),
        ({"nodes": "q-1|q|down*|x|Not responding"}, "node-does-not-answer"),
        ({"nodes": "q-1|q|drained|x|Kill task failed"}, "node-faulty"),
        ({"jobs": "7|PENDING|q|a|1|launch failed requeued held||x"}, "job-failed-to-start"),
        ({"jobs": "7|PENDING|q|a|1|PartitionTimeLimit||x"}, "job-can-never-start"),
        ({"jobs": "7|PENDING|q|a|1|JobHeldUser||x"}, "job-held"),
    ],
)  # fmt: skip
def test_an_answer_leads_to_its_cause(changes: dict[str, Any], cause: str) -> None:
    assert ids(found(**changes)) == [cause]


def test_a_configuration_that_waits_for_jobs_is_no_problem() -> None:
    (only,) = found(boot='{"result": "configuration: queue q has jobs and its nodes change: set"}')
    assert (only.level, only.explains) == ("info", ())


def test_slow_answers_are_no_wrong_clock() -> None:
    clock = {"time": Section("1790000003 2026-09-21T14:13:23", 0)}
    assert Facts(clock, began=1790000000.0, ended=1790000200.0).ahead == 0
    assert Facts(clock, began=1790000100.0, ended=1790000200.0).ahead == -97
    assert Facts(clock, began=1789999000.0, ended=1790000000.0).ahead == 3


def test_refused_messages_count_only_within_the_last_hour() -> None:
    line = "[2026-09-21T{}] error: Munge decode failed: Invalid credential"
    assert found(controller_log=line.format("12:59:59.123")) == []
    (only,) = found(controller_log=line.format("14:00:00.123"))
    assert (only.id, only.found.do[0].command[-1]) == ("messages-refused", "/opt/hpc/bin/hpc-update")
    (only,) = found(controller_log="[2026-09-21T14:00:00.1] error: Munge decode failed: Rewound credential")
    assert "clock" in only.found.why


def test_jobs_of_other_queues_do_not_wait_for_a_drained_node() -> None:
    nodes = "q-1|q|drained|x|my test\np-1|p|idle|Unknown|none"
    assert ids(found(nodes=nodes, jobs="7|PENDING|p|a|1|Resources||x")) == ["node-held"]
    assert ids(found(nodes=nodes, jobs="7|PENDING|p,q|a|1|Resources||x")) == ["node-held-while-jobs-wait"]


@pytest.mark.parametrize("code", [1, 75, 124, 127, None])
def test_an_unanswered_question_is_left_out_and_no_cause(code: int | None) -> None:
    asked = {name: Section("sudo: a password is required", code) for name in questions.HEAD}
    harmless = {"ping": WELL["ping"], "munge": WELL["munge"], "time": WELL["time"]}
    facts = Facts(asked | harmless, ended=1790000003.5)
    assert diagnose(facts) == []
    assert {"nodes", "jobs", "hpc-elastic's launches"} <= {what for what, _ in facts.left_out}


@given(st.dictionaries(st.sampled_from(sorted(questions.HEAD)), st.text()), st.sampled_from([0, 1, 2, 3, 75, None]))
def test_any_answer_can_be_diagnosed_and_shown(texts: dict[str, str], code: int | None) -> None:
    facts = Facts({name: Section(text, code) for name, text in texts.items()})
    for about_node in (False, True):
        examination = Examination(diagnoses=diagnose(facts, about_node=about_node), left_out=facts.left_out)
        document = doctor_document("cfd", None, examination, Target(stack="s"))
        json.dumps(document)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", plain_text(doctor_text(document), 60))


def test_a_section_is_left_out_if_the_one_that_it_needs_failed() -> None:
    import subprocess

    sections = Sections({"a": ("false",), "b": ("echo", "b"), "c": ("echo", "c")}, {"b": "a"})
    done = subprocess.run(sections.script, capture_output=True, text=True, check=False)
    answers = sections.parse(done.stdout.split("\n"))
    assert {name: (each.text, each.code) for name, each in answers.items()} == {
        "a": ("", 1), "b": ("", 75), "c": ("c", 0),
    }  # fmt: skip


def test_units_that_are_not_to_run_are_not_missed() -> None:
    text = UNIT.format(unit="munge.service", state="inactive", result="success") + (
        "\nId=slurmd.service\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n"
        "\nId=slurmdbd.service\nLoadState=loaded\nActiveState=inactive\nResult=success\nUnitFileState=disabled\n"
        "\nId=chrony.service\nLoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\n"
        "ConditionResult=no\nConditionTimestamp=Sun 2026-11-29\n"
    )
    units = read_units(text)
    assert {name: unit.is_missed for name, unit in units.items()} == {"munge": True, "slurmdbd": False}


def test_df_and_unmunge_are_read() -> None:
    (only,) = read_file_systems("Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 9 4 5 45% /a b")
    assert (only.at, only.size, only.free) == ("/a b", 9, 5)
    assert read_credential(CREDENTIAL) == ("Success", 0.0)
    assert read_credential("unmunge: Error: Invalid credential") == ("Invalid credential", None)
    assert read_credential("ssh: connect to host q-1 port 22: Connection refused") == ("", None)


NODE = "NodeName=q-1 Arch=x86_64 CPUAlloc=0 State={state} ThreadsPerCore=1 Reason={reason}"


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"record": Section("Node q-9 not found", 1), "credential": Section("ssh: unknown", 255)}, "node-unknown"),
        ({"record": NODE.format(state="IDLE+CLOUD+POWERED_DOWN", reason="hpc: no capacity"),
          "credential": Section("ssh: connect to host q-1", 255)}, "node-off"),
        ({"credential": Section("ssh: connect to host q-1 port 22: No route to host", 255)}, "node-not-reached"),
        ({"credential": CREDENTIAL.replace("Success (0)", "Rewound credential (16)").replace("565)", "000)", 1)},
         "node-clock-wrong"),
        ({"credential": Section("unmunge: Error: Invalid credential", 14)}, "node-key-differs"),
        ({"credential": Section('unmunge: Error: Failed to access "/run/munge/munge.socket.2"', 6)},
         "node-munge-stopped"),
        ({"boot": '{"result": "mounts: /fsx: cannot mount: no route"}'}, "node-boot-failed"),
        ({"space": "/dev/x 1000000 1 1000 1% /"}, "node-disk-full"),
        ({"units": UNIT.format(unit="slurmd.service", state="failed", result="exit-code")}, "slurmd-stopped"),
        ({"units": PEOPLE_FAILED}, "node-service-stopped"),
        ({"record": NODE.format(state="IDLE+CLOUD+DRAIN", reason="my test [root@2026]")}, "node-drained"),
    ],
)  # fmt: skip
def test_an_answer_about_a_node_leads_to_its_cause(changes: dict[str, Any], cause: str) -> None:
    well = {
        "record": NODE.format(state="IDLE+CLOUD", reason=""),
        "credential": CREDENTIAL,
        "boot": '{"result": "ready"}',
    }
    answers = {key: each if isinstance(each, Section) else Section(each, 0) for key, each in (well | changes).items()}
    assert ids(diagnose(Facts(answers), about_node=True)) == [cause]


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        (
            {"units": PEOPLE_FAILED},
            "node-service-stopped",
        ),
        ({"munge": Section('munge: Error: Failed to access "/run/munge/munge.socket.2"', 6)}, "node-munge-stopped"),
        ({"shared": "gone - /home 10.0.0.4:/home"}, "node-share-gone"),
        ({"boot": '{"result": "host_keys: no permission"}'}, "node-boot-failed"),
    ],
)
def test_an_answer_of_a_login_node_leads_to_its_cause(changes: dict[str, Any], cause: str) -> None:
    """A login node answers itself, and Slurm does not know it."""
    well = {"boot": '{"result": "ready"}', "munge": CREDENTIAL}
    answers = {key: each if isinstance(each, Section) else Section(each, 0) for key, each in (well | changes).items()}
    (only,) = diagnose(Facts(answers), about_node=True)
    assert only.id == cause
    assert "the login node" in only.found.what
    assert {step.on for step in only.found.do} == {"login"}


def test_commands_have_the_options_of_the_way() -> None:
    target = Target(stack="s", options=("--user", "a b"))
    assert target.line(Step(command=("ls", "x y"))) == "hpc run s --user 'a b' -- ls 'x y'"
    assert target.line(Step(command=("ls",), on="q-1")) == "hpc ssh s q-1 --user 'a b' -- ls"
    assert target.line(Step(command=("hpc", "start", "{stack}", "q"), on="laptop")) == "hpc start s q --user 'a b'"


def test_causes_have_their_own_ids_and_explain_later_ones() -> None:
    seen: set[str] = set()
    for each in all_causes():
        assert set(each.unless) <= seen
        assert each.id not in TITLES
        seen.add(each.id)
    with pytest.raises(TypeError):
        cause("disk-full", all_causes()[0].level)(all_causes()[0].look)


def test_each_threshold_has_a_source() -> None:
    records = json.loads((PAGES.parent / "hpc_components/operate/doctor/data/thresholds.json").read_text())
    assert all(record["source"] and record["as_of"] and record["unit"] for record in records)


def test_the_pages_name_the_keys_of_the_document() -> None:
    examination = Examination(diagnoses=found(synchronized="no"), left_out=[("x", "y")])
    document = doctor_document("cfd", None, examination, Target(stack="s"))
    assert f"`doctor: {document['doctor']}`" in (PAGES / "public.md").read_text(encoding="utf-8")
    page = (PAGES / "doctor.md").read_text(encoding="utf-8").partition("## For programs")[2]
    for key in (*document, *document["diagnoses"][0], *document["left_out"][0]):
        assert f"`{key}`" in page
