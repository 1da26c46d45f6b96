"""job_submit.lua: jobs of queues with `requeue: false` are never put back, whatever they ask for."""

from importlib.resources import files

from hpc_components.spec.cluster import ClusterSpec

__all__ = ["job_submit_lua", "stays_down"]


def stays_down(cluster: ClusterSpec) -> tuple[str, ...]:
    """Names of the queues whose jobs are not put back when their node is lost."""
    return tuple(queue.name for queue in cluster.queues if not queue.requeue)


def job_submit_lua(cluster: ClusterSpec) -> str:
    """The text. Slurm has one JobRequeue for the whole cluster, and takes each job's own word over it."""
    names = ", ".join(f'["{name}"] = true' for name in stays_down(cluster))
    head = f'local stays_down = {{ {names} }}\nlocal default_queue = "{cluster.queues[0].name}"\n'
    return head + files("hpc_components.slurm").joinpath("job_submit.lua").read_text(encoding="utf-8")
