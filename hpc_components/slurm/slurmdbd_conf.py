from hpc_components.spec.slurm import Accounting

PASSWORD_PLACEHOLDER = "@DATABASE_PASSWORD@"
"""Placeholder for the external database's password. At boot, the head node replaces it with the password from a
secret."""


PRIVATE_BETWEEN_ORGANIZATIONS = ("accounts", "jobs", "reservations", "usage", "users")
"""What users see of their own only. slurmctld and slurmdbd hide it separately: `sacct` and `sreport` ask slurmdbd.
Source: slurm.conf(5) and slurmdbd.conf(5), PrivateData."""


def slurmdbd_conf(accounting: Accounting, *, private: bool = False) -> str:
    """Without an external database, slurmdbd uses the database on the head node. It then connects over a Unix socket,
    as user slurm without a password.
    """
    database = accounting.database
    storage = (
        [
            f"StorageHost={database.host}",
            f"StoragePort={database.port}",
            f"StorageUser={database.user}",
            f"StoragePass={PASSWORD_PLACEHOLDER}",
            f"StorageLoc={database.name}",
        ]
        if database
        else ["StorageHost=localhost", "StorageUser=slurm", "StorageLoc=slurm_acct_db"]
    )
    lines = [
        "DbdHost=head",
        "SlurmUser=slurm",
        "AuthType=auth/munge",
        "LogFile=/var/log/slurm/slurmdbd.log",
        "PidFile=/run/slurmdbd/slurmdbd.pid",
        "StorageType=accounting_storage/mysql",
        *storage,
        *([f"PrivateData={','.join(PRIVATE_BETWEEN_ORGANIZATIONS)}"] if private else []),
        # Keep events only briefly, because each hour without capacity adds one event per requested node.
        "PurgeEventAfter=2months",
        "PurgeSuspendAfter=2months",
    ]
    return "\n".join([*lines, ""])
