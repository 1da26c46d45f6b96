import pytest

from hpc_components.spec.slurm.ownership import OWNED, OWNED_OF_PARTITIONS

from ...rules.judged import paths, problems, queue


def whole(version="23.11", **keys):
    return {"version": version, "settings": keys}


def partition(**keys):
    return [queue(slurm=keys)]


@pytest.mark.parametrize("key", ["SchedulerParameters", "schedulerparameters", "PriorityType", "SuspendTime"])
def test_a_known_setting_is_accepted(key):
    assert not paths("HPC-SLM-001", slurm=whole(**{key: "x"}))


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("SchedulerParamaters", "SchedulerParameters?"),
        ("scheduler_parameters", "SchedulerParameters?"),
        ("MaxTime", "under the slurm key of a queue"),
        ("Nonsense", "man slurm.conf"),
    ],
)
def test_an_unknown_setting_is_corrected(key, hint):
    (problem,) = problems("HPC-SLM-001", slurm=whole(**{key: "x"}))
    assert problem.path == ("slurm", "settings", key)
    assert hint in problem.remedy


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("MaxTmie", "MaxTime?"),
        ("SchedulerParameters", "under slurm.settings"),
        ("CoresPerSocket", "are derived from the machine type"),
        ("Nonsense", "man slurm.conf"),
    ],
)
def test_a_setting_unknown_to_partitions_is_found(key, hint):
    (problem,) = problems("HPC-SLM-002", queues=partition(**{key: "x"}))
    assert hint in problem.remedy


def test_a_setting_known_to_partitions_is_accepted():
    assert not paths("HPC-SLM-002", queues=partition(MaxTime=60, prioritytier=5, PartitionName="x"))


def test_nothing_removed_or_new_is_proposed():
    (problem,) = problems("HPC-SLM-001", slurm=whole("23.11", MetricsTyp="x"))
    assert "MetricsType" not in problem.remedy
    (problem,) = problems("HPC-SLM-001", slurm=whole("25.11", MetricsTyp="x"))
    assert "MetricsType" in problem.remedy


@pytest.mark.parametrize(
    ("key", "version", "hint"),
    [
        ("MetricsType", "24.11", "such as Slurm 25.11 have this key"),
        ("MetricsType", "25.11", None),
        ("PowerPlugin", "23.11", None),
        ("PowerPlugin", "24.11", "Slurm 23.11 was the last release with this key"),
        ("FastSchedule", "22.05", "leave it out"),
        ("SlurmctldPlugstack", "25.11", "such as Slurm 22.05 have this key"),
    ],
)
def test_a_setting_of_another_release_is_found(key, version, hint):
    found = problems("HPC-SLM-003", slurm=whole(version, **{key: "x"}))
    assert [hint in problem.remedy for problem in found] == ([True] if hint else [])


def test_release_is_proposed_where_the_system_has_it():
    (problem,) = problems("HPC-SLM-003", os="debian-13", slurm=whole("23.11", HashPlugin="hash/sha3"))
    assert problem.remedy == 'remove it, or use slurm.version: "24.11"'


def test_a_setting_of_ours_is_told_once():
    for key, instead in OWNED.items():
        for id in ("HPC-SLM-001", "HPC-SLM-003", "HPC-SLM-005"):
            assert not paths(id, slurm=whole("25.11", **{key: "x"})), key
        (problem,) = problems("HPC-SLM-004", slurm=whole(**{key.lower(): "x"}))
        assert problem.remedy == instead
    for key, instead in OWNED_OF_PARTITIONS.items():
        assert not paths("HPC-SLM-002", queues=partition(**{key: "x"}))
        (problem,) = problems("HPC-SLM-004", queues=partition(**{key.upper(): "x"}))
        assert problem.remedy == instead


def test_flags_of_yaml_are_told_as_numbers():
    (problem,) = problems("HPC-SLM-005", slurm=whole(KillOnBadExit=True))
    assert problem.remedy == "use 1"


@pytest.mark.parametrize("value", ['"30"', '"0x10"', '"INFINITE"'])
def test_quotes_are_no_part_of_a_value(value):
    assert not paths("HPC-SLM-005", slurm=whole(KillWait=value))
    assert paths("HPC-SLM-005", slurm=whole(KillWait='"30s"'))
    assert not paths("HPC-SLM-004", slurm=whole(PrivateData='"jobs,users"'))


def test_a_time_written_our_way_is_corrected():
    (problem,) = problems("HPC-SLM-006", queues=partition(MaxTime="2d"))
    assert problem.remedy == "use 2-00:00:00"
    assert paths("HPC-SLM-006", queues=partition(defaulttime=True)) == ["queues[0].slurm.defaulttime"]
    assert not paths("HPC-SLM-006", queues=partition(MaxTime=60, DefaultTime="UNLIMITED"))
    assert not paths("HPC-SLM-006", queues=partition(Nonsense="2d", AllowGroups="2d"))
    assert not paths("HPC-SLM-006", slurm=whole(MaxTime="2d", Nonsense="2d"))


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("PriorityDecayHalfLife", "14d", "use 14-00:00:00"), ("PriorityDecayHalfLife", "14-0", None),
        ("prioritymaxage", "7d", "use 7-00:00:00"), ("PriorityMaxAge", "INFINITE", None),
        ("PreemptExemptTime", "1h", "use 01:00:00"), ("PreemptExemptTime", '"01:00:00"', None),
        ("PriorityCalcPeriod", "5m", "use 00:05:00"), ("PriorityCalcPeriod", 0, "use 5, or remove this setting"),
        ("PriorityCalcPeriod", "INFINITE", "use 5, or remove this setting"), ("PriorityCalcPeriod", "00:30", None),
    ],
)  # fmt: skip
def test_a_wrong_time_of_the_cluster_is_corrected(key, value, remedy):
    assert [each.remedy for each in problems("HPC-SLM-006", slurm=whole(**{key: value}))] == [remedy] * bool(remedy)


def test_a_key_written_twice_is_found():
    assert paths("HPC-SLM-007", slurm=whole(KillWait=1, killwait=2)) == ["slurm.settings.killwait"]
    assert not paths("HPC-SLM-007", queues=[queue(slurm={"MaxTime": 1}), queue(name="b", slurm={"maxtime": 1})])


@pytest.mark.parametrize("value", ["a b", "a\nKillWait=5", "a#b", 'a"b', ""])
def test_a_value_that_holds_more_is_found(value):
    assert paths("HPC-SLM-008", slurm=whole(MailProg=value)) == ["slurm.settings.MailProg"]
    assert paths("HPC-SLM-008", queues=partition(AllowGroups=value)) == ["queues[0].slurm.AllowGroups"]


@pytest.mark.parametrize("value", ["a,b", '"a b"', "a=b", 5, True])
def test_a_value_that_holds_one_is_accepted(value):
    assert not paths("HPC-SLM-008", slurm=whole(MailProg=value))


@pytest.mark.parametrize("value", ["lua", "require_timelimit,lua", "job_submit/lua"])
@pytest.mark.parametrize(
    ("ours", "hint"),
    [
        ({}, "can't be added"),
        ({"requeue": False}, "requeue: false"),
        ({"machine": "g6.xlarge", "gpu_sharing": {"shards": 2}}, "gpu_sharing"),
    ],
)
def test_no_script_of_submission_can_be_brought(value, ours, hint):
    (problem,) = problems("HPC-SLM-020", slurm=whole(jobsubmitplugins=value), queues=[queue(**ours)])
    assert problem.path == ("slurm", "settings", "jobsubmitplugins")
    assert hint in problem.reason
    assert problem.remedy.startswith("leave lua out")


def test_other_plugins_of_submission_are_the_user_s():
    assert not paths("HPC-SLM-020", slurm=whole(JobSubmitPlugins="require_timelimit,lua5"))
    assert not paths("HPC-SLM-020", slurm=whole(MailProg="lua"), queues=[queue(requeue=False)])


@pytest.mark.parametrize(
    ("time", "told"), [(14, True), ("59", True), (60, False), ("14-0", False), (20160, False), ("0", False)]
)
@pytest.mark.parametrize("key", ["PriorityDecayHalfLife", "PriorityMaxAge"])
def test_days_written_as_minutes_are_found(key, time, told):
    found = problems("HPC-SLM-006", slurm=whole(**{key: time}))
    assert [problem.remedy for problem in found] == ([f"write {time}-0 if you meant days"] if told else [])
