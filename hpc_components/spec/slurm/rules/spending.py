import math
from collections.abc import Iterator, Mapping

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.account_tree import usable_qos
from hpc_components.spec.slurm.rules._accounting import QOS, described
from hpc_components.spec.slurm.settings import Setting, max_time, queue_value, settings_of
from hpc_components.spec.slurm.times import minutes
from hpc_components.spec.spending import has_budgets

_COUNTED = "Slurm counts the cost of jobs with a value of ours"

OURS: Mapping[str, str] = {
    "prioritytype": "only priority/multifactor counts usage",
    "prioritydecayhalflife": "with a decay, what was spent could be spent again",
    "priorityusageresetperiod": "usage must be reset when budgets renew, and never else",
    "prioritycalcperiod": "usage must be counted every minute",
    "tresbillingweights": _COUNTED,
    "overtimelimit": "jobs would run longer than what was reserved for them",
}
"""Keys that users of budgets can't set, in lower case, with the reasons. Source: slurm.conf(5) of 22.05 to 25.11."""


@rule("HPC-PAY-006", Level.ERROR)
def every_job_has_an_end(cluster: ClusterSpec) -> Iterator[Problem]:
    """With budgets, a job that requests no time must get a finite time limit.

    A job starts only if its whole time limit can be paid for. Without a limit, it would wait forever. The queue's
    DefaultTime or MaxTime sets it, or `max_wall` of every QoS that accounts can use. Source: Slurm source code,
    src/slurmctld/acct_policy.c; run on Slurm 22.05 and 24.11.
    """
    accounting = described(cluster)
    by_qos = all(name in accounting.qos and accounting.qos[name].max_wall for name in usable_qos(accounting.accounts))
    budgets = has_budgets(cluster) and accounting.at_limit == "finish" and not by_qos
    for index, queue in enumerate(cluster.queues) if budgets else ():
        default = queue_value(queue, "DefaultTime")
        own = queue.qos is not None and queue.qos in accounting.qos and accounting.qos[queue.qos].max_wall
        time = minutes(default) if default is not None else max_time(queue)
        if time == math.inf and not own:
            yield Problem(
                path=("queues", index),
                reason=f"a job in {queue.name} that requests no time has no time limit, so no budget can pay for it, "
                "and it would wait forever",
                remedy="add slurm: {DefaultTime: 04:00:00, MaxTime: 2-0} to the queue",
            )


@rule("HPC-PAY-008", Level.ERROR)
def settings_keep_budgets(cluster: ClusterSpec) -> Iterator[Problem]:
    """With budgets, the settings by which Slurm counts costs must be those of this package.

    With others, jobs would be counted wrongly, or not at all. Source: slurm.conf(5) of 22.05 to 25.11, of each key.
    """
    for setting in settings_of(cluster) if has_budgets(cluster) else ():
        reason = _undoes(setting, described(cluster).at_limit)
        if reason is not None:
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"budgets need another value: {reason}",
                remedy="remove this setting, or all budgets",
            )


def _undoes(setting: Setting, at_limit: str) -> str | None:
    key, words = setting.key.lower(), setting.text.upper().split(",")
    if key == "priorityflags":
        return (
            None if "MAX_TRES" in words else "without MAX_TRES, a job pays for CPUs and memory of the same node twice"
        )
    if key == "accountingstorageenforce":
        if at_limit == "end" and not {"SAFE", "ALL"}.isdisjoint(words):
            return "with safe, Slurm never ends a job at a limit, as at_limit: end demands"
        return "without records of jobs, nothing is known to be spent" if "NOJOBS" in words else None
    return OURS.get(key)


@rule("HPC-PAY-012", Level.WARNING)
def billing_of_qos_is_money(cluster: ClusterSpec) -> Iterator[Problem]:
    """With budgets, a QoS should not limit `billing`, unless it means money.

    Slurm's billing is then in millionths of a dollar per minute.
    """
    for name, qos in described(cluster).qos.items() if has_budgets(cluster) else ():
        if "billing" in qos.max_tres_per_user:
            most = qos.max_tres_per_user["billing"]
            yield Problem(
                path=(*QOS, name, "max_tres_per_user", "billing"),
                value=most,
                reason=f"with budgets, {most} billing of a user's jobs are {most * 60 / 1e6:g} USD an hour",
                remedy="limit cpu or gres/gpu instead; if an amount is meant, silence this finding",
            )
