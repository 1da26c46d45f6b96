from hpc_components.slurm.cgroup_conf import cgroup_conf
from hpc_components.slurm.elastic_json import elastic_json
from hpc_components.slurm.gres_conf import gres_conf
from hpc_components.slurm.job_scripts import job_programs
from hpc_components.slurm.job_submit_lua import job_submit_lua, needs_job_submit
from hpc_components.slurm.prices_json import prices_json
from hpc_components.slurm.queue_nodes import queue_nodes
from hpc_components.slurm.sacctmgr_plan import Coordinated, sacctmgr_plan
from hpc_components.slurm.slurm_conf import cluster_name, slurm_conf
from hpc_components.slurm.slurmdbd_conf import slurmdbd_conf
from hpc_components.slurm.topology_conf import topology_conf
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.tres import counted_gres, counted_licenses
from hpc_components.spec.spending import spending_limits


def slurm_files(cluster: ClusterSpec, *, version: str | None = None) -> dict[str, str]:
    """Return the texts of the files that Slurm and the elastic daemon read, keyed by file name, e.g. `slurm.conf`.

    `version` is a Slurm release such as `24.11`, by default the release in the description. `cluster` must pass the
    rules without errors. Raise ValueError if required facts about a machine are unknown.
    """
    version = version or cluster.slurm.version
    nodes = [queue_nodes(cluster, queue) for queue in cluster.queues]
    files = {
        "slurm.conf": slurm_conf(cluster, nodes, version),
        "cgroup.conf": cgroup_conf(),
        "topology.conf": topology_conf(nodes),
        "elastic.json": elastic_json(cluster),
        "prices.json": prices_json(cluster),
    }
    if any(one.gpus for one in nodes):
        files["gres.conf"] = gres_conf(nodes)
    if (accounting := cluster.accounting) is not None:
        counted = (*counted_gres(one.gpus for one in nodes), *counted_licenses(cluster.slurm.settings))
        files["slurmdbd.conf"] = slurmdbd_conf(accounting, private=bool(cluster.organizations))
        administrators = {name: user.admin for name, user in cluster.users.items()}
        budgets = tuple(spending_limits(cluster))
        files["sacctmgr.sh"] = sacctmgr_plan(
            cluster_name(cluster), accounting, counted, administrators, _coordinated(cluster), budgets
        )
    if needs_job_submit(cluster):
        files["job_submit.lua"] = job_submit_lua(cluster, nodes)
    return files | job_programs(cluster, version)


def _coordinated(cluster: ClusterSpec) -> dict[str, Coordinated]:
    owners = cluster.organization_of_account
    return {
        name: Coordinated(tuple(account for account, owner in owners.items() if owner == name), one.administrators)
        for name, one in cluster.organizations.items()
    }
