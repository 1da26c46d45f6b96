from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from hpc_components.slurm.billing import billing_minutes
from hpc_components.spec.slurm import Accounting, Qos
from hpc_components.spec.slurm.account_tree import parents_first, qos_of
from hpc_components.spec.slurm.times import slurm_time
from hpc_components.spec.slurm.tres import LIMITABLE
from hpc_components.spec.spending import SpendingLimit


@dataclass(frozen=True)
class Coordinated:
    """The accounts of an organization, and who coordinates them."""

    accounts: tuple[str, ...]
    coordinators: tuple[str, ...]


def sacctmgr_plan(
    cluster: str,
    accounting: Accounting,
    counted: Sequence[str],
    administrators: Mapping[str, bool],
    organizations: Mapping[str, Coordinated],
    budgets: Sequence[SpendingLimit],
) -> str:
    """Return a script with two steps, `before-slurmctld` and `after-slurmctld`.

    `administrators` tells which users administer the cluster, keyed by user name.

    Limits of `budgets` are set only for associations without a limit. From then on, `hpc-bill settle` sets them: it
    knows what has been spent.

    QoS and accounts are created in the first step, because slurmctld starts only if every QoS and account named by a
    partition exists. Limits are set in the second step, because generic resources and licenses (`counted`, e.g.
    `gres/gpu`) are not in the database until slurmctld has started. Source: run on Slurm 22.05 and 24.11.
    """
    accounts = parents_first(accounting.accounts)
    before = ["wait_for slurmdbd dbd_answers", f"cluster {cluster}", *(f"qos {name}" for name in accounting.qos)]
    before += [f"account {cluster} {name} {accounting.accounts[name].parent}" for name in accounts]
    after = ["wait_for slurmdbd dbd_answers"]
    after += [line for name in accounts for line in _account(cluster, name, accounting)]
    after += _default_accounts(cluster, accounting)
    after += _admin_levels(administrators)
    after += _organizations(cluster, accounting, organizations)
    after += [_budgets(cluster, budgets)] if accounting.accounts else []
    after += [f"wait_for {name} tres_known {name}" for name in counted if accounting.qos]
    after += [_limits(name, qos, counted) for name, qos in accounting.qos.items()]
    return (
        files("hpc_components.slurm").joinpath("sacctmgr_head.sh").read_text(encoding="utf-8")
        + "case ${1-} in\n"
        + _step("before-slurmctld", before)
        + _step("after-slurmctld", [*after, "changed"])
        + '*) echo "usage: sacctmgr.sh before-slurmctld | after-slurmctld" >&2; exit 2 ;;\nesac\n'
    )


def _step(name: str, lines: Sequence[str]) -> str:
    return "".join([f"{name})\n", *(f"  {line}\n" for line in lines), "  ;;\n"])


def _limits(name: str, qos: Qos, counted: Sequence[str]) -> str:
    """All limits are set, so that a limit removed from the description is also removed from the database."""
    limits = dict.fromkeys((*LIMITABLE, *counted), -1) | dict(qos.max_tres_per_user)
    settings = (
        f"Priority={qos.priority}",
        f"MaxWall={slurm_time(qos.max_wall.seconds) if qos.max_wall else -1}",
        f"MaxTRESPerUser={','.join(f'{kind}={count}' for kind, count in limits.items())}",
        f"Flags={','.join(qos.flags) or -1}",
    )
    return f"limits {name} {' '.join(settings)}"


def _account(cluster: str, name: str, accounting: Accounting) -> Iterator[str]:
    account = accounting.accounts[name]
    qos = qos_of(name, accounting.accounts)
    yield f"shares {cluster} {name} {account.parent} {account.fairshare} {','.join(sorted(set(qos)))} {qos[0]}"
    if account.users:
        yield f"users {cluster} {name} {' '.join(dict.fromkeys(account.users))}"


def _default_accounts(cluster: str, accounting: Accounting) -> Iterator[str]:
    defaults = accounting.default_accounts
    for name in accounting.accounts:
        if users := [user for user, default in defaults.items() if default == name]:
            yield f"default_account {cluster} {name} {' '.join(sorted(users))}"


def _organizations(cluster: str, accounting: Accounting, organizations: Mapping[str, Coordinated]) -> Iterator[str]:
    for name, one in organizations.items():
        yield f"organization {cluster} {name} {' '.join(one.accounts)}"
        yield " ".join(["coordinators", name, *one.coordinators])
        for account in one.accounts:
            yield " ".join(["only_users", cluster, account, *accounting.accounts[account].users])
    if accounting.accounts:
        yield " ".join(["close_others", cluster, *(name for one in organizations.values() for name in one.accounts)])


def _budgets(cluster: str, budgets: Sequence[SpendingLimit]) -> str:
    limits = (f"{one.account}/{one.user or ''}={billing_minutes(one.budget.usd)}" for one in budgets)
    return " ".join(["budgets", cluster, *limits])


def _admin_levels(administrators: Mapping[str, bool]) -> Iterator[str]:
    for level, wanted in (("Administrator", True), ("None", False)):
        if users := [user for user, is_admin in administrators.items() if is_admin is wanted]:
            yield f"admin_level {level} {' '.join(sorted(users))}"
