"""Slurm in a description: settings, accounts, limits and times, Slurm's own knowledge of them, and their rules."""

from hpc_components.spec.slurm.models import Account, Accounting, Database, Qos, QosFlag, Slurm

__all__ = ["Account", "Accounting", "Database", "Qos", "QosFlag", "Slurm"]
