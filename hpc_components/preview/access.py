from typing import Any

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm import Account, Accounting, Qos
from hpc_components.spec.slurm.settings import queue_value


def access_of(cluster: ClusterSpec) -> dict[str, Any]:
    """Return who can access a described cluster, in plain JSON types.

    - `login`: where users log in by SSH (`login nodes` or `head node`), the allowed address ranges, the maximum
      number of sessions per user (None means no limit), and sentences about other ways to log in
    - `queues`: the maximum and default run times of jobs, as Slurm writes them (None means no limit), and who may use
      each queue (empty means everyone)
    - `accounts` and `qos`: empty if the cluster has no accounting
    """
    accounting = cluster.accounting or Accounting()
    login = cluster.login_nodes
    return {
        "login": {
            "at": "login nodes" if login else "head node",
            "public": (login or cluster.head_node).public,
            "from": [str(source) for source in cluster.network.ssh_from],
            "sessions": login.max_sessions_per_user if login else None,
            "other": list(cluster.other_logins()),
        },
        "accounts": [_account(name, account, accounting) for name, account in sorted(accounting.accounts.items())],
        "qos": [_qos(name, qos) for name, qos in sorted(accounting.qos.items())],
        "queues": [_queue(queue) for queue in cluster.queues],
    }


def _account(name: str, account: Account, accounting: Accounting) -> dict[str, Any]:
    defaults = accounting.default_accounts
    return {
        "account": name,
        "parent": account.parent,
        "users": list(account.users),
        "default_for": [user for user in account.users if defaults.get(user) == name],
        "qos": list(account.qos),
        "fairshare": account.fairshare,
    }


def _qos(name: str, qos: Qos) -> dict[str, Any]:
    return {
        "qos": name,
        "priority": qos.priority,
        "max_wall": str(qos.max_wall) if qos.max_wall else None,
        "max_per_user": dict(qos.max_tres_per_user),
        "flags": list(qos.flags),
    }


def _queue(queue: Queue) -> dict[str, Any]:
    return {
        "queue": queue.name,
        "max_time": queue_value(queue, "MaxTime"),
        "default_time": queue_value(queue, "DefaultTime"),
        "qos": queue.qos,
        "only": _only(queue),
    }


_WHO = {"AllowAccounts": "accounts", "AllowGroups": "groups", "AllowQos": "QoS"}


def _only(queue: Queue) -> list[str]:
    values = ((noun, queue_value(queue, key) or "ALL") for key, noun in _WHO.items())
    return [f"{noun} {value}" for noun, value in values if value.upper() != "ALL"]
