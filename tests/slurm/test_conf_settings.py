"""slurm.conf as a whole: what follows from the description, and the user's own settings on top."""

import pytest

from hpc_components.slurm import RELEASES, slurm_files
from tests.slurm.described import cluster, keys, line, queue

USERS = {"nlp": {"users": ["alice"]}}


def conf(*queues, version="23.11", **changes):
    return slurm_files(cluster(*queues, **changes), version=version)["slurm.conf"]


def settings(**own):
    return {"slurm": {"settings": own}}


def test_the_head_node_is_known_by_its_address():
    assert keys(conf())["SlurmctldHost"] == "head(10.20.64.20)"
    own = {"machine": "c6i.xlarge", "address": "10.20.64.17"}
    assert keys(conf(head_node=own))["SlurmctldHost"] == "head(10.20.64.17)"
    public = {"machine": "c6i.xlarge", "public": True}
    assert keys(conf(head_node=public))["SlurmctldHost"] == "head(10.20.8.20)"


def test_a_name_is_in_small_letters():
    assert keys(conf(name="CFD"))["ClusterName"] == "cfd"


@pytest.mark.parametrize(
    ("version", "given"), [("22.05", True), ("23.11", False), ("24.11", False), ("25.11", False)]
)
def test_older_releases_need_a_word_for_addresses(version, given):
    assert ("cloud_reg_addrs" in conf(version=version)) == given


def test_first_queue_is_the_default():
    text = conf(queue(name="a"), queue(name="b"))
    assert line(text, "PartitionName", "a")["Default"] == "YES"
    assert "Default" not in line(text, "PartitionName", "b")


def test_kept_nodes_are_never_suspended():
    text = conf(queue(name="a"), queue(name="b", min=1), queue(name="c", min=2))
    assert keys(text)["SuspendExcNodes"] == "b-1,c-[1-2]"
    assert "SuspendExcNodes" not in conf()


def test_a_queues_idle_time_goes_before_the_clusters():
    text = conf(queue(name="a", idle_time="1h"), queue(name="b"), slurm={"idle_time": "5m"})
    assert keys(text)["SuspendTime"] == "300"
    assert line(text, "PartitionName", "a")["SuspendTime"] == "3600"
    assert "SuspendTime" not in line(text, "PartitionName", "b")


def test_own_settings_take_the_place_of_ours():
    text = conf(**settings(unkillablesteptimeout=90, EnforcePartLimits="ANY", KillWait=45))
    assert "UnkillableStepTimeout=90\n" in text
    assert text.lower().count("unkillablesteptimeout") == 1
    assert keys(text)["EnforcePartLimits"] == "ANY"
    assert text.index("KillWait=45") > text.index("# slurm.settings of the description")


@pytest.mark.parametrize(("value", "written"), [(True, "YES"), (False, "NO"), (3, "3"), ("a,b", "a,b")])
def test_values_are_written_as_slurm_reads_them(value, written):
    assert keys(conf(**settings(Licenses=value)))["Licenses"] == written


def test_parameters_of_the_scheduler_are_joined_by_name():
    found = keys(conf(**settings(SchedulerParameters="bf_window=4320,default_queue_depth=7")))["SchedulerParameters"]
    assert "default_queue_depth=7," in found
    assert found.count("default_queue_depth") == 1
    assert found.endswith(",bf_window=4320")
    assert "sbatch_wait_nodes" in found


@pytest.mark.parametrize("own", ["DEFAULT_QUEUE_DEPTH=7", "Default_Queue_Depth=7,default_queue_depth=8"])
def test_parameters_of_the_scheduler_have_any_case(own):
    """Slurm takes the first that it finds, in any case."""
    found = keys(conf(**settings(SchedulerParameters=own)))["SchedulerParameters"].lower().split(",")
    assert [one for one in found if one.startswith("default_queue_depth")] == ["default_queue_depth=7"]


def plans_ahead(*queues, **changes):
    """`bf_window` and `bf_resolution`, if they are written."""
    found = keys(conf(*queues, **changes))["SchedulerParameters"].split(",")
    named = dict(one.partition("=")[::2] for one in found)
    assert len(named) == len(found)
    return named.get("bf_window"), named.get("bf_resolution")


def qos(**max_walls):
    limits = {name: {"max_wall": wall} if wall else {} for name, wall in max_walls.items()}
    return {"slurm": {"accounting": {"qos": limits, "accounts": USERS}}}


@pytest.mark.parametrize(
    ("longest", "expected"),
    [
        (60, (None, None)),
        ("23:00:00", (None, None)),
        ("23:00:01", ("1441", "300")),
        ("1-00:00:00", ("1500", "300")),
        ("7-0", ("10140", "300")),
        ("168:01:00", ("10141", "600")),
        ("29-22", ("43140", "600")),
        ("30-0", ("43200", "600")),
        ("400-0", ("43200", "600")),
        ("UNLIMITED", (None, None)),
    ],
)
def test_the_scheduler_looks_further_than_the_longest_job(longest, expected):
    assert plans_ahead(queue(name="a", slurm={"maxtime": longest}), queue(name="b")) == expected


def test_the_longest_of_all_limits_counts():
    assert plans_ahead() == (None, None)
    assert plans_ahead(**qos(normal=None)) == (None, None)
    assert plans_ahead(**qos(normal="2d", long="14d", any=None)) == ("20220", "600")
    assert plans_ahead(queue(slurm={"MaxTime": "20-0"}), **qos(long="14d")) == ("28860", "600")


def test_how_far_the_scheduler_looks_may_be_said():
    own = settings(SchedulerParameters="BF_Window=4320")
    found = keys(conf(queue(slurm={"MaxTime": "14-0"}), **own))["SchedulerParameters"]
    assert [one for one in found.split(",") if one.lower().startswith("bf_window")] == ["BF_Window=4320"]


def test_lists_of_ours_and_the_users_are_united():
    gpus = queue(machine="g6.xlarge", requeue=False)
    own = {"AccountingStorageTRES": "gres/gpu,license/abaqus", "JobSubmitPlugins": "require_timelimit"}
    found = keys(conf(gpus, slurm={"accounting": {}, "settings": own}))
    assert found["AccountingStorageTRES"] == "gres/gpu,gres/gpu:l4,license/abaqus"
    assert found["JobSubmitPlugins"] == "lua,require_timelimit"


def test_words_are_added_to_what_fences_jobs_and_shows_nodes():
    own = {"PrivateData": "jobs,cloud,usage", "PrologFlags": "X11", "LaunchParameters": "mem_sort"}
    found = keys(conf(**settings(**own)))
    assert found["PrivateData"] == "cloud,jobs,usage"
    assert found["PrologFlags"] == "Contain,X11"
    assert found["LaunchParameters"].startswith("use_interactive_step")
    assert found["LaunchParameters"].endswith(",mem_sort")


def test_an_own_key_replaces_its_counterpart():
    assert "PropagateResourceLimitsExcept=MEMLOCK" in conf()
    text = conf(**settings(PropagateResourceLimits="NONE"))
    assert "PropagateResourceLimitsExcept" not in text
    assert "PropagateResourceLimits=NONE" in text


def test_a_partition_has_settings_of_its_own():
    text = conf(queue(slurm={"MaxTime": "2-00:00:00", "OverSubscribe": "EXCLUSIVE", "Hidden": True}))
    found = line(text, "PartitionName", "cpu")
    assert (found["MaxTime"], found["OverSubscribe"], found["Hidden"]) == ("2-00:00:00", "EXCLUSIVE", "YES")


@pytest.mark.parametrize("key", ["DefMemPerNode", "defmempercpu", "DefMemPerGPU"])
def test_an_own_default_of_memory_replaces_ours(key):
    for text in (conf(queue(slurm={key: 512})), conf(**settings(**{key: 512}))):
        assert text.lower().count("defmemper") == 1


@pytest.mark.parametrize(
    ("of_queue", "of_all", "expected"),
    [
        ({}, {}, "1903"),
        ({"MaxMemPerCPU": 1000}, {}, "1000"),
        ({"maxmempercpu": "1k"}, {}, "1024"),
        ({"MaxMemPerCPU": 4000}, {}, "1903"),
        ({"MaxMemPerNode": 3001}, {}, "1500"),
        ({}, {"MAXMEMPERCPU": 900}, "900"),
        ({"MaxMemPerCPU": 1000}, {"MaxMemPerCPU": 900}, "1000"),
        ({"MaxMemPerNode": "UNLIMITED"}, {"MaxMemPerCPU": 900}, "1903"),
        ({}, {"MaxMemPerCPU": 0}, "1903"),
    ],
)
def test_jobs_that_name_no_memory_get_no_more_than_they_may(of_queue, of_all, expected):
    text = conf(queue(slurm=of_queue), **settings(**of_all))
    assert line(text, "PartitionName", "cpu")["DefMemPerCPU"] == expected


def test_without_accounting_nothing_is_counted():
    text = conf()
    assert keys(text)["PriorityType"] == "priority/basic"
    for key in ("Accounting", "JobAcctGather", "PriorityWeight"):
        assert key not in text


def test_limits_are_enforced_with_accounts():
    assert "AccountingStorageEnforce" not in conf(slurm={"accounting": {}})
    text = conf(slurm={"accounting": {"accounts": USERS}})
    assert keys(text)["AccountingStorageEnforce"] == "associations,limits,qos,safe"


def test_no_limit_is_lost_by_what_is_enforced_besides():
    own = {"AccountingStorageEnforce": "safe,nosteps"}
    text = conf(slurm={"accounting": {"accounts": USERS}, "settings": own})
    assert keys(text)["AccountingStorageEnforce"] == "associations,limits,qos,safe,nosteps"


def test_a_queue_has_the_qos_described():
    text = conf(queue(qos="gold"), slurm={"accounting": {"qos": {"gold": {}}, "accounts": USERS}})
    assert line(text, "PartitionName", "cpu")["QOS"] == "gold"


def test_queues_that_do_not_requeue_are_listed_for_slurm():
    files = slurm_files(cluster(queue(name="a"), queue(name="b", requeue=False)))
    assert 'stays_down = { ["b"] = true }' in files["job_submit.lua"]
    assert keys(files["slurm.conf"])["JobSubmitPlugins"] == "lua"
    assert keys(files["slurm.conf"])["JobRequeue"] == "1"
    assert "job_submit.lua" not in slurm_files(cluster())


def test_an_own_database_is_named_for_slurmdbd():
    database = {
        "host": "db.example.org",
        "port": 3307,
        "user": "slurm_lab",
        "name": "accounts",
        "password_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:db-AbCdEf",
    }
    text = slurm_files(cluster(slurm={"accounting": {"database": database}}))["slurmdbd.conf"]
    assert keys(text) | {
        "StorageHost": "db.example.org",
        "StoragePort": "3307",
        "StorageUser": "slurm_lab",
        "StorageLoc": "accounts",
        "StoragePass": "@DATABASE_PASSWORD@",
    } == keys(text)
    local = slurm_files(cluster(slurm={"accounting": {}}))["slurmdbd.conf"]
    assert "StoragePass" not in local
    assert keys(local)["StorageHost"] == "localhost"


@pytest.mark.parametrize("version", RELEASES)
def test_described_release_unless_another_is_asked_for(version):
    described = cluster(slurm={"version": version, "package_source": "https://packages.example.org/slurm"})
    assert slurm_files(described)["slurm.conf"].startswith(f"# Slurm {version}: ")
    assert slurm_files(described, version="22.05")["slurm.conf"].startswith("# Slurm 22.05: ")


def test_quotes_are_no_part_of_a_value():
    quoted = {"MaxTime": '"30-0"', "MaxMemPerCPU": '"100"'}
    plain = {"MaxTime": "30-0", "MaxMemPerCPU": "100"}
    with_quotes, without = conf(queue(name="a", slurm=quoted)), conf(queue(name="a", slurm=plain))
    assert keys(with_quotes)["SchedulerParameters"] == keys(without)["SchedulerParameters"]
    assert line(with_quotes, "PartitionName", "a")["DefMemPerCPU"] == "100"
    lists = {"SchedulerParameters": '"bf_max_job_user=5,bf_continue"', "PrivateData": '"jobs,users"'}
    assert keys(conf(**settings(**lists)))["SchedulerParameters"].endswith(",bf_max_job_user=5")
    assert keys(conf(**settings(**lists)))["PrivateData"] == "cloud,jobs,users"
