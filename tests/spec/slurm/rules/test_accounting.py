from hpc_components.spec.findings import Level

from ...rules.judged import levels, paths, problems, queue


def test_keys_of_accounts_need_accounting():
    fatal = [queue(qos="gold")]
    assert levels("HPC-SLM-009", queues=fatal) == [Level.ERROR]
    assert paths("HPC-SLM-009", queues=fatal) == ["queues[0].qos"]
    assert levels("HPC-SLM-009", queues=[queue(slurm={"AllowAccounts": "a"})]) == [Level.WARNING]
    assert levels("HPC-SLM-009", slurm={"settings": {"accountingstorageenforce": "limits"}}) == [Level.WARNING]
    assert levels("HPC-SLM-009", slurm={"settings": {"PriorityWeightAge": 10}}) == [Level.WARNING]
    assert not levels("HPC-SLM-009", queues=fatal, slurm={"accounting": {}})
    assert not levels("HPC-SLM-009", slurm={"settings": {"KillWait": 30}})


def test_qos_must_be_there_first():
    fatal = [queue(qos="gold")]
    assert not paths("HPC-SLM-010", queues=fatal)
    assert paths("HPC-SLM-010", queues=fatal, slurm={"accounting": {}}) == ["queues[0].qos"]
    (problem,) = problems("HPC-SLM-010", queues=fatal, slurm={"accounting": {"qos": {"golden": {}}}})
    assert problem.remedy == "did you mean golden?"
    assert not paths("HPC-SLM-010", queues=fatal, slurm={"accounting": {"qos": {"gold": {}}}})
    assert not paths("HPC-SLM-010", queues=[queue(qos="normal")], slurm={"accounting": {}})
    assert not paths("HPC-SLM-010", queues=[queue(slurm={"MaxTime": 60})], slurm={"accounting": {}})


def test_qos_of_a_queue_is_said_in_one_place():
    (problem,) = problems("HPC-SLM-004", queues=[queue(slurm={"QOS": "gold"})], slurm={"accounting": {}})
    assert problem.remedy == "set the queue's qos"
