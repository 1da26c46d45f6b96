import pytest

from hpc_components.spec.findings import Level

from ...rules.judged import levels, paths, problems, queue

PACKAGES = {"version": "24.11", "package_source": "s3://b/p"}


def whole(version="23.11", **keys):
    return {"version": version, "settings": keys}


def partition(**keys):
    return [queue(slurm=keys)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("DebugFlags", "Gres,Power"), ("selecttypeparameters", "cr_core,CR_LLN"), ("EnforcePartLimits", True),
        ("SlurmdDebug", 5), ("SlurmctldDebug", "debug3"), ("PriorityFlags", "NO_FAIR_TREE,ACCRUE_ALWAYS"),
        ("JobCompType", "jobcomp/filetxt"), ("DebugFlags", '"Gres,Power"'), ("SchedulerType", "sched/builtin"),
        ("AccountingStorageEnforce", "limits,qos"), ("MailProg", "anything"), ("DebugFlags", ""),
    ],
)  # fmt: skip
def test_a_word_that_slurm_knows_is_accepted(key, value):
    assert not paths("HPC-SLM-022", slurm=whole(**{key: value}))


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("DebugFlags", "Gres,Powr", "did you mean Power?"),
        ("SelectTypeParameters", "CR_Cores", "did you mean CR_Core?"),
        ("EnforcePartLimits", "maybe", "use ALL, ANY, NO"),
        ("SlurmctldDebug", "loud", "use quiet, fatal"),
        ("PriorityType", "multifactor", "did you mean priority/multifactor?"),
        ("SchedulerType", "backfill", "did you mean sched/backfill?"),
        ("JobCompType", "jobcomp/file", "did you mean jobcomp/filetxt?"),
        ("PreemptType", "preempt/partition", "did you mean preempt/partition_prio?"),
        ("AccountingStorageEnforce", "limit", "did you mean limits?"),
        ("PriorityUsageResetPeriod", "30d", "use NONE, NOW"),
    ],
)
def test_a_word_unknown_to_slurm_is_corrected(key, value, hint):
    (problem,) = problems("HPC-SLM-022", slurm=whole(**{key: value}))
    assert problem.path == ("slurm", "settings", key)
    assert hint in problem.remedy
    assert levels("HPC-SLM-022", slurm=whole(**{key: value})) == [Level.ERROR]


@pytest.mark.parametrize(
    ("key", "value", "right"),
    [
        ("OverSubscribe", "EXCLUSIVE", True), ("OverSubscribe", "FORCE:4", True), ("OverSubscribe", False, True),
        ("OverSubscribe", "SHARED", False), ("PreemptMode", "REQUEUE", True), ("PreemptMode", "KILL", False),
        ("SelectTypeParameters", "CR_CPU", False), ("SelectTypeParameters", "CR_Socket", True),
    ],
)  # fmt: skip
def test_a_wrong_word_of_a_partition_is_found(key, value, right):
    found = paths("HPC-SLM-022", queues=partition(**{key: value}))
    assert found == ([] if right else [f"queues[0].slurm.{key}"])


def test_a_word_of_another_release_is_found():
    (problem,) = problems("HPC-SLM-022", slurm=whole("23.11", DebugFlags="AuditRPCs"))
    assert problem.reason == "Slurm 23.11 does not recognize 'AuditRPCs' in DebugFlags (recognized by 24.11, 25.11)"
    assert not paths("HPC-SLM-022", slurm=whole("25.11", DebugFlags="AuditRPCs"))


def test_what_slurm_takes_no_notice_of_is_a_warning():
    assert levels("HPC-SLM-022", slurm=whole(PriorityFlags="Fairtree")) == [Level.WARNING]
    assert levels("HPC-SLM-022", slurm=whole(HealthCheckNodeState="IDEL")) == [Level.WARNING]


def test_plugins_may_come_with_packages_of_one_s_own():
    assert levels("HPC-SLM-022", slurm=whole(JobSubmitPlugins="ours")) == [Level.ERROR]
    own = PACKAGES | {"settings": {"JobSubmitPlugins": "ours"}}
    assert levels("HPC-SLM-022", slurm=own) == [Level.WARNING]
    assert levels("HPC-SLM-022", slurm=PACKAGES | {"settings": {"DebugFlags": "ours"}}) == [Level.ERROR]


@pytest.mark.parametrize(
    ("type", "mode", "wrong"),
    [
        (None, None, None), (None, "OFF", None), ("preempt/none", "off", None), (None, "GANG", None),
        ("preempt/qos", None, "PreemptType"), ("preempt/partition_prio", "OFF", "PreemptMode"),
        ("preempt/qos", "GANG", "PreemptMode"), (None, "REQUEUE", "PreemptMode"), (None, "WITHIN", "PreemptMode"),
        ("preempt/none", "CANCEL", "PreemptMode"), ("preempt/qos", "REQUEUE", None),
        ("preempt/qos", "REQUEUE,WITHIN", None), ("preempt/partition_prio", "SUSPEND,GANG", None),
        ("preempt/qos", "SUSPEND", "PreemptMode"), ("preempt/qos", "SUSPEND,WITHIN", None),
        ("preempt/qos", "CANCEL,REQUEUE", "PreemptMode"), ("preempt/qos", "CANCEL,GANG,WITHIN", "PreemptMode"),
        ("preempt/ours", None, None), ("preempt/ours", "REQUEUE", None),
    ],
)  # fmt: skip
def test_preemption_type_and_mode_must_fit(type, mode, wrong):
    given = {key: value for key, value in (("PreemptType", type), ("PreemptMode", mode)) if value}
    assert paths("HPC-SLM-023", slurm=whole(**given)) == ([f"slurm.settings.{wrong}"] if wrong else [])


@pytest.mark.parametrize(("mode", "right"), [("SUSPEND", True), ("REQUEUE", True), ("OFF,REQUEUE", False)])
def test_a_partitions_preemption_must_fit_the_clusters(mode, right):
    both = whole(PreemptType="preempt/partition_prio", PreemptMode="REQUEUE")
    found = paths("HPC-SLM-023", slurm=both, queues=partition(PreemptMode=mode))
    assert found == ([] if right else ["queues[0].slurm.PreemptMode"])


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"SelectTypeParameters": "CR_Core_Memory,CR_ONE_TASK_PER_CORE"}, True),
        ({"SelectTypeParameters": "CR_Core,CR_Memory"}, False),
        ({"SelectTypeParameters": "CR_CPU_Memory,CR_ONE_TASK_PER_CORE"}, False),
        ({"TaskPluginParam": "cores,verbose"}, True),
        ({"TaskPluginParam": "cores,threads"}, False),
        ({"PriorityDecayHalfLife": "7-0"}, True),
        ({"PriorityDecayHalfLife": "0-0"}, False),
        ({"PriorityDecayHalfLife": 0, "PriorityUsageResetPeriod": "NONE"}, True),
    ],
)
def test_words_that_exclude_one_another_are_found(keys, right):
    assert bool(paths("HPC-SLM-024", slurm=whole(**keys))) is not right


@pytest.mark.parametrize(
    ("type", "mode", "right"),
    [
        (None, "REQUEUE", False), ("preempt/qos", "REQUEUE", False), ("preempt/partition_prio", "REQUEUE", True),
        (None, "OFF", True), ("preempt/qos", "off", True),
    ],
)  # fmt: skip
def test_mode_of_a_queue_is_read_with_priorities_of_queues(type, mode, right):
    settings = {"PreemptType": type, "PreemptMode": "CANCEL"} if type else {}
    found = levels("HPC-SLM-023", slurm={"settings": settings}, queues=[queue(slurm={"PreemptMode": mode})])
    assert found == ([] if right else [Level.WARNING])
