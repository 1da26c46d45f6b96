from hpc_components.spec.slurm.models import Account, Accounting, Database, Qos, QosFlag, Slurm

__all__ = ["Account", "Accounting", "Database", "Qos", "QosFlag", "Slurm"]
