"""Generates the files that nodes fetch from the cluster's config bucket, except those that depend on created
resources."""

import base64
import json
import shlex

from hpc_components.boot.archive import archive, node_archive, programs, units
from hpc_components.boot.cloud_part import cloud_boot
from hpc_components.boot.name_service import domain_of, name_files
from hpc_components.boot.own_scripts import script_files
from hpc_components.boot.packaged import packaged_scripts
from hpc_components.boot.ssh import ssh_between_nodes, ssh_files
from hpc_components.boot.stub import user_data
from hpc_components.boot.system import for_system, slurm_source_files, system_facts, system_of
from hpc_components.health.files import health_files
from hpc_components.people.files import described_document, directory_files
from hpc_components.people.node.document import write
from hpc_components.slurm import slurm_files
from hpc_components.slurm.billing import budgets_json
from hpc_components.slurm.job_costs import wrapped_mail_program, writes_job_costs
from hpc_components.slurm.queue_nodes import queue_nodes
from hpc_components.software.files import WANTED, software_files
from hpc_components.spec.addresses import head_address
from hpc_components.spec.cluster import Budget, ClusterSpec
from hpc_components.spec.people import People
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.spending import has_budgets
from hpc_components.watch.files import watch_files

_LINE = 76
"""Maximum line length of base64 (RFC 2045)."""

_HEAD_ONLY = ("slurmdbd.conf", "sacctmgr.sh", "job_submit.lua")


def boot_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the files for the config bucket, as a mapping from path to text.

    `common/mounts.json` and `common/buckets` are not included: the components that create file systems and buckets
    add them.

    `cluster` must pass the rules without errors. Raise ValueError if required facts about a machine are unknown.
    """
    described = cluster.model_dump(mode="json", exclude_defaults=True)
    python = system_of(cluster).python
    texts = {
        **packaged_scripts("hpc_components.boot"),
        **cloud_boot(cluster.cloud).node_files(cluster),
        **{f"head/programs/{name}": text for name, text in programs().items()},
        "head/units/hpc-elastic.service": units()["hpc-elastic.service"],
        "compute/units/hpc-watch.service": units()["hpc-watch.service"],
        "common/cluster.env": _facts(cluster),
        "common/cluster.json": json.dumps(described, indent=1, sort_keys=True) + "\n",
        "common/hpc-elastic.b64": _encoded(archive(cluster.cloud, python)),
        "common/update/stub.sh": user_data(cluster.cloud),
        "compute/queues": _queues(cluster),
        **slurm_source_files(cluster),
        **_people(cluster),
        **_budgets(cluster),
        **_software(cluster),
        **_health(cluster),
        **_mail_program(cluster),
        **_audit(cluster),
        **script_files(cluster),
        **_webhook(cluster.budget),
        **_monitoring(cluster),
        **name_files(cluster),
        **ssh_files(cluster),
        **{_place_of(name): text for name, text in slurm_files(cluster).items()},
    }
    return for_system(cluster, texts)


def _people(cluster: ClusterSpec) -> dict[str, str]:
    if cluster.people is None:
        return {}
    return {
        "head/people.json": write(described_document(cluster.people, cluster.organizations)),
        **directory_files(cluster),
        **_home_quota(cluster.people),
        "common/hpc-people.b64": _encoded(node_archive("people", system_of(cluster).python)),
    }


def _budgets(cluster: ClusterSpec) -> dict[str, str]:
    if not has_budgets(cluster):
        return {}
    return {
        "common/budgets.json": budgets_json(cluster),
        "common/hpc-bill.b64": _encoded(node_archive("bill", system_of(cluster).python)),
    }


def _software(cluster: ClusterSpec) -> dict[str, str]:
    found = software_files(cluster)
    if WANTED not in found:
        return found
    return found | {"common/hpc-software.b64": _encoded(node_archive("software", system_of(cluster).python))}


def _health(cluster: ClusterSpec) -> dict[str, str]:
    found = health_files(cluster)
    return (
        found | {"compute/hpc-health.b64": _encoded(node_archive("health", system_of(cluster).python))}
        if found
        else {}
    )


def _audit(cluster: ClusterSpec) -> dict[str, str]:
    if cluster.audit is None:
        return {}
    return {"common/hpc-audit.b64": _encoded(node_archive("audit", system_of(cluster).python))}


def _monitoring(cluster: ClusterSpec) -> dict[str, str]:
    if cluster.monitoring is None:
        return {}
    return {
        **watch_files(cluster),
        "common/hpc-metrics.b64": _encoded(node_archive("watch", system_of(cluster).python)),
    }


def _mail_program(cluster: ClusterSpec) -> dict[str, str]:
    program = wrapped_mail_program(cluster)
    return {"head/mail_program": f"{program}\n"} if program else {}


def _webhook(budget: Budget | None) -> dict[str, str]:
    return {"head/webhook_secret": f"{budget.webhook_secret}\n"} if budget and budget.webhook_secret else {}


def _home_quota(people: People) -> dict[str, str]:
    return {"head/home_quota": f"{people.home_quota.bytes // 1024}\n"} if people.home_quota else {}


def _place_of(name: str) -> str:
    if name in ("elastic.json", "prices.json"):
        return f"head/{name}"
    return f"head/slurm/{name}" if name in _HEAD_ONLY else f"common/slurm/{name}"


def _facts(cluster: ClusterSpec) -> str:
    accounting, login = cluster.slurm.accounting, cluster.login_nodes
    database = accounting.database if accounting else None
    share = (login or cluster.head_node).per_user
    facts = {
        "CLUSTER": cluster.name,
        "DOMAIN": domain_of(cluster),
        **system_facts(cluster),
        "HEAD": head_address(cluster),
        "USERS_ON": "login" if login else "head",
        "MAX_SESSIONS": login.max_sessions_per_user if login and login.max_sessions_per_user else "",
        "CPUS_PER_USER": share.cpus or "",
        "MEMORY_PER_USER": share.memory.bytes if share.memory else "",
        "PROCESSES_PER_USER": share.processes,
        "SLURM": cluster.slurm.version,
        "PACKAGE_SOURCE": cluster.slurm.package_source or "",
        "ACCOUNTING": accounting_of(cluster),
        "DATABASE_SECRET": database.password_secret if database else "",
        "JOB_COSTS": _yes(writes_job_costs(cluster)),
        "PEOPLE": _yes(cluster.people is not None),
        "MONITORING": _yes(cluster.monitoring is not None),
        "ORGANIZATIONS": _yes(bool(cluster.organizations)),
        "SSH_BETWEEN_NODES": ssh_between_nodes(cluster),
        "FABRIC": _yes(any(fabric_on(queue) for queue in cluster.queues)),
        "STATE_GIB": int(cluster.head_node.state.size.in_gib),
        "OWN_LUSTRE": " ".join(cloud_boot(cluster.cloud).created_lustre_mounts(cluster)),
    }
    return "".join(f"HPC_{key}={shlex.quote(str(value))}\n" for key, value in facts.items())


def accounting_of(cluster: ClusterSpec) -> str:
    """Return where the accounting database is: `local` (on the head node), `external` or `none`."""
    accounting = cluster.slurm.accounting
    return "none" if accounting is None else "external" if accounting.database else "local"


def _queues(cluster: ClusterSpec) -> str:
    lines = [("queue", "cpus", "gpus", "smt", "fabric", "local_scratch", "metadata")]
    own_identity = cloud_boot(cluster.cloud).jobs_may_use_node_identity
    for queue in cluster.queues:
        nodes = queue_nodes(cluster, queue)
        scratch, metadata = queue.local_scratch or "-", "jobs" if own_identity(queue) else "system"
        counts = str(nodes.cpus), str(nodes.gpus.count if nodes.gpus else 0)
        lines.append((queue.name, *counts, _yes(queue.smt), _yes(fabric_on(queue)), scratch, metadata))
    return "".join(" ".join(line) + "\n" for line in lines)


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _encoded(content: bytes) -> str:
    text = base64.b64encode(content).decode()
    return "".join(f"{text[at : at + _LINE]}\n" for at in range(0, len(text), _LINE))
