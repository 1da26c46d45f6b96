"""Tells which clusters say afterwards what a job has cost."""

from hpc_components.slurm.job_submit_lua import tells_costs
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.values import unquoted
from hpc_components.spec.spending import has_budgets

MAIL_WRAPPER = "/opt/hpc/bin/hpc-mail"
"""Program of the head node that adds the cost to Slurm's e-mails, and passes them on to the described `MailProg`."""


def writes_job_costs(cluster: ClusterSpec) -> bool:
    """Return whether costs are written after a job. Only with budgets does Slurm count money."""
    return has_budgets(cluster) and tells_costs(cluster)


def wrapped_mail_program(cluster: ClusterSpec) -> str | None:
    """Return the described `MailProg` if its e-mails get the cost of the job."""
    found = (value for key, value in cluster.slurm.settings.items() if key.lower() == "mailprog")
    program = next(found, None)
    return unquoted(program) if program is not None and writes_job_costs(cluster) else None
