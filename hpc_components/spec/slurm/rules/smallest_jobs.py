from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_capacity import node_capacity
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm import Accounting, Qos
from hpc_components.spec.slurm.account_tree import qos_of
from hpc_components.spec.slurm.rules._accounting import QOS, described
from hpc_components.spec.slurm.rules.queue_access import lets_in_account, lets_in_qos
from hpc_components.spec.slurm.settings import Setting, partition_settings
from hpc_components.spec.slurm.values import number
from hpc_components.wording import any_of


@dataclass(frozen=True, kw_only=True)
class _Least:
    """The amount of a resource that a queue's smallest job takes."""

    kind: str
    amount: int
    because: str


@dataclass(frozen=True, kw_only=True)
class _Blocked:
    """A QoS limit that is too low for a queue's smallest job."""

    qos: str
    limit: str
    """Key in `max_tres_per_user`."""
    has: int
    least: _Least


@rule("HPC-ACC-021", Level.WARNING)
def smallest_job_of_a_queue(cluster: ClusterSpec) -> Iterator[Problem]:
    """A QoS's limits must allow the smallest possible job of each queue where the QoS applies.

    Even the smallest job is large if its queue sets `MinNodes`, allocates whole nodes with all their CPUs and GPUs
    (`OverSubscribe: EXCLUSIVE`), or has a large default memory. Jobs above a limit never start.

    The rule checks the queue's own QoS and the QoS of each account that the queue admits. If none of an account's QoS
    allows the smallest job, the account can't run any jobs in the queue. If other accounts can use the queue, this
    may be intended, so the finding is only informational. Source: slurm.conf(5), MinNodes, OverSubscribe,
    DefMemPerNode; sacctmgr(1), MaxTRESPerUser, OverPartQOS, PartitionMinNodes; Slurm's QoS guide, "Limits" (a
    partition's QoS takes precedence over the job's).
    """
    accounting = described(cluster)
    if not accounting.accounts:
        return
    reported: set[Path] = set()
    for index, queue in enumerate(cluster.queues):
        shape = _Shape(cluster, index)
        own = _blocked(shape, queue, queue.qos, accounting) if queue.qos else ()
        found = [_problem(one, queue, None, None) for one in own] or [*_of_accounts(cluster, shape, queue)]
        for problem in found:
            if problem.path not in reported:
                reported.add(problem.path)
                yield problem


def _of_accounts(cluster: ClusterSpec, shape: "_Shape", queue: Queue) -> Iterator[Problem]:
    """Yield a problem for each limit that keeps an account from running any jobs in `queue`, although the queue
    admits the account.
    """
    accounting = described(cluster)
    shut_out: dict[str, _Blocked] = {}
    free = False
    for name, account in accounting.accounts.items():
        usable = [qos for qos in qos_of(name, accounting.accounts) if lets_in_qos(queue, qos)]
        if not account.users or not usable or not lets_in_account(queue, name, cluster):
            continue
        first = [next(iter(_blocked(shape, queue, qos, accounting)), None) for qos in usable]
        if first[0] is not None and all(first):
            shut_out[name] = first[0]
        else:
            free = True
    for one in dict.fromkeys((found.qos, found.limit) for found in shut_out.values()):
        names = [name for name, found in shut_out.items() if (found.qos, found.limit) == one]
        yield _problem(shut_out[names[0]], queue, names, Level.INFO if free else None)


def _problem(found: _Blocked, queue: Queue, accounts: list[str] | None, level: Level | None) -> Problem:
    least = found.least
    whose = f" of account {any_of(accounts)}" if accounts else ""
    return Problem(
        path=(*QOS, found.qos, "max_tres_per_user", found.limit),
        value=found.has,
        reason=f"the smallest possible job in queue {queue.name} takes {least.amount:,} {least.kind} "
        f"({least.because}), so no job{whose} ever starts",
        remedy=f"use {least.amount} or more, or lower the queue's minimum"
        + (f", or exclude {any_of(accounts)} with DenyAccounts" if accounts and level else ""),
        level=level,
    )


class _Shape:
    """The minimum size of a queue's jobs, as determined by its settings."""

    def __init__(self, cluster: ClusterSpec, index: int) -> None:
        self.settings = partition_settings(cluster, index)
        self.has = node_capacity(cluster.queues[index])
        shared = self.settings.get("oversubscribe")
        self.whole = shared is not None and shared.text.upper() == "EXCLUSIVE"
        self.nodes = max(1, self._number("minnodes") or 1)

    def least(self, *, any_nodes: bool) -> Iterator[_Least]:
        """Yield the amount of each resource that the smallest job takes. If `any_nodes` is true, `MinNodes` is
        ignored.
        """
        nodes = 1 if any_nodes else self.nodes
        many = f"MinNodes: {nodes}" if nodes > 1 else ""
        whole = "whole nodes" if self.whole else ""
        yield _Least(kind="node", amount=nodes, because=many or "at least one node")
        each = self.has.cpus if self.has and self.whole else 1
        because = " and ".join(filter(None, (many, whole))) or "at least one CPU"
        yield _Least(kind="cpu", amount=nodes * each, because=because)
        if self.has and self.has.gpus and self.whole:
            yield _Least(kind="gres/gpu", amount=nodes * self.has.gpus, because=because)
        yield from self._memory(nodes, nodes * each)

    def _memory(self, nodes: int, cpus: int) -> Iterator[_Least]:
        for key, count in (("defmempernode", nodes), ("defmempercpu", cpus)):
            if setting := self.settings.get(key):
                amount = (number(setting.text) or 0) * count
                yield _Least(
                    kind="mem",
                    amount=amount,
                    because=f"{setting.key}: {setting.value}, if the job requests no memory",
                )
                return
        if self.has and self.whole and self.has.cpus:
            share = self.has.memory_mib // self.has.cpus
            yield _Least(kind="mem", amount=share * cpus, because="whole nodes")

    def _number(self, key: str) -> int | None:
        setting: Setting | None = self.settings.get(key)
        return number(setting.text) if setting else None


def _blocked(shape: _Shape, queue: Queue, name: str | None, accounting: Accounting) -> Iterator[_Blocked]:
    """Yield each limit that even the queue's smallest job exceeds. A limit of the queue's own QoS takes precedence
    over the same limit of the QoS `name`, unless the latter has the flag `OverPartQOS`.
    """
    qos, own = accounting.qos.get(name or "", Qos()), accounting.qos.get(queue.qos or "", Qos())
    for least in shape.least(any_nodes="PartitionMinNodes" in qos.flags):
        for kind in sorted({*qos.max_tres_per_user, *own.max_tres_per_user}):
            if kind != least.kind and not (least.kind == "gres/gpu" and kind.startswith("gres/gpu:")):
                continue
            first = name if "OverPartQOS" in qos.flags and kind in qos.max_tres_per_user else queue.qos
            ruling = first if kind in accounting.qos.get(first or "", Qos()).max_tres_per_user else name
            limit = accounting.qos.get(ruling or "", Qos()).max_tres_per_user.get(kind, 0)
            if 0 < limit < least.amount:
                yield _Blocked(qos=ruling or "", limit=kind, has=limit, least=least)
