"""What rules say of settings is what Slurm itself says. Runs where Slurm's commands are installed."""

import os
import shutil
import subprocess

import pytest

from hpc_components.catalog._load import records
from hpc_components.spec import slurm
from hpc_components.spec.slurm.keys import slurm_keys
from hpc_components.spec.slurm.rules.bounds import EXCLUSIVE
from hpc_components.spec.slurm.times import is_slurm_time
from hpc_components.spec.slurm.values import wrong_value
from hpc_components.spec.slurm.words import slurm_words

from ...rules.judged import paths, queue

SCONTROL = shutil.which("scontrol")
pytestmark = pytest.mark.skipif(SCONTROL is None, reason="scontrol is not on PATH")


def scontrol(tmp_path, *words, line="", part=""):
    """Run Slurm's command with a slurm.conf of its own; it needs no daemon to read that."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        f"ClusterName=x\nSlurmctldHost=h\nSlurmUser=root\n{line}\nNodeName=a\nPartitionName=p Nodes=a {part}\n"
    )
    environment = {**os.environ, "SLURM_CONF": str(conf)}
    return subprocess.run([str(SCONTROL), *words], capture_output=True, text=True, env=environment, check=False)


@pytest.fixture
def release(tmp_path):
    return ".".join(scontrol(tmp_path, "--version").stdout.split()[1].split(".")[:2])


@pytest.fixture
def accepts(tmp_path):
    """Whether Slurm can read a slurm.conf with `line`, or with `part` of a partition."""
    return lambda line="", part="": scontrol(tmp_path, "show", "hostnames", "a", line=line, part=part).returncode == 0


def test_keys_of_other_releases_are_refused(accepts, release):
    assert accepts()
    for key in slurm_keys("global").values():
        if release not in key.types:
            assert not accepts(f"{key.name}=1"), key.name
    for key in slurm_keys("partition").values():
        type = key.types.get(release)
        if type is None:
            assert not accepts(part=f"{key.name}=1"), key.name


@pytest.mark.parametrize("name", ["KillWait", "MinJobAge", "DefMemPerNode", "DisableRootJobs"])
@pytest.mark.parametrize(
    "value",
    [
        "30", "30s", "70000", "0x10", "08", "07", "1k", "INFINITE", "-1", "4294967296", "maybe", "yes", "UP", "0",
        '"30"', '"30s"', '"unlimited"', '"YES"',
    ],
)  # fmt: skip
def test_slurm_takes_the_values_that_we_take(accepts, release, name, value):
    type = slurm_keys("global")[name.lower()].types[release]
    assert accepts(f"{name}={value}") is (wrong_value(type, value) is None)


@pytest.mark.parametrize(
    "text", ["90", "90:30", "2-0", "1-", "-1", "unlimited", "2d", "1-2-3", "1:2:3:4", "12:00:00"]
)
def test_slurm_takes_the_times_that_we_take(accepts, text):
    assert accepts(part=f"MaxTime={text}") is is_slurm_time(text)


@pytest.mark.parametrize("value", ["/bin/mail", "a b", '"a b"', "bf_continue KillWait=5"])
def test_slurm_takes_one_value_as_we_do(accepts, value):
    assert accepts(f"MailProg={value}") is not bool(paths("HPC-SLM-008", slurm={"settings": {"MailProg": value}}))


@pytest.mark.parametrize("value", ["a,b", "a b"])
def test_slurm_takes_one_value_of_a_partition_as_we_do(accepts, value):
    found = paths("HPC-SLM-008", queues=[queue(slurm={"AllowGroups": value})])
    assert accepts(part=f"AllowGroups={value}") is not bool(found)


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("global", "AccountingStorageEnforce"), ("global", "DebugFlags"), ("global", "EnforcePartLimits"),
        ("global", "PriorityUsageResetPeriod"), ("global", "PropagateResourceLimits"),
        ("global", "SelectTypeParameters"), ("global", "SlurmctldDebug"), ("global", "SlurmdSyslogDebug"),
        ("global", "TaskPluginParam"), ("partition", "OverSubscribe"), ("partition", "PreemptMode"),
        ("partition", "SelectTypeParameters"),
    ],
)  # fmt: skip
def test_slurm_takes_the_words_that_we_take(accepts, release, scope, name):
    words = slurm_words(scope, name)
    assert words is not None
    known = set(words.known(release))
    for word in sorted({*words.words, *words.some, "nonsense"}):
        where = "line" if scope == "global" else "part"
        assert accepts(**{where: f"{name}={word}"}) is (word in known), word


@pytest.mark.parametrize("type", [None, "preempt/none", "preempt/qos", "preempt/partition_prio"])
@pytest.mark.parametrize(
    "mode",
    [
        None,
        "OFF",
        "GANG",
        "REQUEUE",
        "SUSPEND",
        "SUSPEND,GANG",
        "WITHIN",
        "OFF,WITHIN",
        "REQUEUE,CANCEL",
        "GANG,WITHIN",
    ],
)
def test_slurm_takes_the_preemption_that_we_take(accepts, type, mode):
    given = {key: value for key, value in (("PreemptType", type), ("PreemptMode", mode)) if value}
    line = "\n".join(f"{key}={value}" for key, value in given.items())
    assert accepts(line) is not bool(paths("HPC-SLM-023", slurm={"settings": given}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("SelectTypeParameters", "CR_Core,CR_Memory"), ("SelectTypeParameters", "CR_Core,CR_ONE_TASK_PER_CORE"),
        ("SelectTypeParameters", "CR_CPU,CR_ONE_TASK_PER_CORE"), ("TaskPluginParam", "cores,threads"),
        ("TaskPluginParam", "cores,verbose"), ("PriorityDecayHalfLife", "0"), ("PriorityDecayHalfLife", "1"),
    ],
)  # fmt: skip
def test_slurm_takes_words_together_as_we_do(accepts, key, value):
    assert accepts(f"{key}={value}") is not bool(paths("HPC-SLM-024", slurm={"settings": {key: value}}))


@pytest.mark.parametrize(
    "key", ["PriorityDecayHalfLife", "PriorityMaxAge", "PriorityCalcPeriod", "PreemptExemptTime"]
)
@pytest.mark.parametrize("value", ["14d", "14-0", "90", "00:30", "INFINITE", "1-2-3"])
def test_slurm_takes_times_of_the_cluster_as_we_do(accepts, key, value):
    assert accepts(f"{key}={value}") is not bool(paths("HPC-SLM-006", slurm={"settings": {key: value}}))


@pytest.mark.parametrize(
    "bounds",
    [one for one in records("bounds", slurm.__file__) if one["outside"] == "fatal"],
    ids=lambda one: one["name"],
)
def test_slurm_does_not_start_with_a_number_below_the_least(accepts, bounds):
    assert accepts(f"{bounds['name']}={bounds['least']}")
    assert not accepts(f"{bounds['name']}={bounds['least'] - 1}")


@pytest.mark.parametrize("keys", EXCLUSIVE["partition"][:4], ids="-".join)
def test_slurm_says_which_of_two_it_ignores(tmp_path, keys):
    read, ignored = keys
    told = scontrol(tmp_path, "show", "hostnames", "a", part=f"{read}=1 {ignored}=1").stderr
    assert f"{ignored} will be ignored" in told or f"{ignored} ignored" in told
