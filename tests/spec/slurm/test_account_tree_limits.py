"""Rules on accounts end soon, however deep the tree is."""

from hpc_components.spec.slurm.account_tree import MAX_ACCOUNT_LEVELS, above, qos_of
from hpc_components.spec.slurm.models import Account
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge


class _Counted(dict[str, Account]):
    looked_up = 0

    def get(self, key, default=None):
        self.looked_up += 1
        return super().get(key, default)


def _chain(length: int) -> dict[str, dict[str, str]]:
    return {"a0": {}} | {f"a{number}": {"parent": f"a{number - 1}"} for number in range(1, length)}


def test_a_walk_up_a_deep_tree_is_bounded() -> None:
    accounts = _Counted({name: Account(**keys) for name, keys in _chain(5000).items()})
    assert len(above("a4999", accounts, MAX_ACCOUNT_LEVELS)) == MAX_ACCOUNT_LEVELS
    for name in accounts:
        qos_of(name, accounts)
    assert accounts.looked_up <= (MAX_ACCOUNT_LEVELS + 1) * (len(accounts) + 1)


def test_accounts_below_too_many_others_are_refused_once() -> None:
    described = {
        "cloud": "aws", "name": "cfd", "region": "us-east-2", "zone": "use2-az2", "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "c6i.xlarge"}, "queues": [{"name": "cpu", "machine": "c7i.large", "max": 1}],
        "slurm": {"accounting": {"accounts": _chain(MAX_ACCOUNT_LEVELS + 9)}},
    }  # fmt: skip
    (found,) = (each for each in judge(Document("f", described)).errors if each.id == "HPC-ACC-002")
    assert found.path == f"slurm.accounting.accounts.a{MAX_ACCOUNT_LEVELS - 1}.parent"
    assert f"has {MAX_ACCOUNT_LEVELS} or more ancestors" in found.reason
    described["slurm"] = {"accounting": {"accounts": _chain(MAX_ACCOUNT_LEVELS - 1)}}
    assert not [each for each in judge(Document("f", described)).errors if each.id == "HPC-ACC-002"]
