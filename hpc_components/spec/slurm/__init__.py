"""Models of a description's Slurm settings and accounts, facts about Slurm itself, and the rules that use them."""

from hpc_components.spec.slurm.models import Account, Accounting, Database, Qos, QosFlag, Slurm

__all__ = ["Account", "Accounting", "Database", "Qos", "QosFlag", "Slurm"]
