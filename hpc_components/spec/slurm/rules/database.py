"""Rules on an existing accounting database: its port, and names in it."""

import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.rules._accounting import described

__all__: list[str] = []

OTHERS = {1433: "SQL Server", 1521: "Oracle", 5432: "PostgreSQL"} | dict.fromkeys(
    range(6817, 6821), "Slurm's daemons"
)
"""Ports on which slurmdbd finds no database that it can use, and what listens there."""


@rule("HPC-SLM-012", Level.ERROR)
def database_port(cluster: ClusterSpec) -> Iterator[Problem]:
    """The accounting database's port is one, and neither Slurm's own nor another database's.

    Source: slurmdbd.conf(5), StoragePort, StorageType: MySQL and MariaDB.
    """
    database = described(cluster).database
    other = OTHERS.get(database.port) if database else None
    if database and not 1 <= database.port <= 65535:
        yield Problem(
            path=("slurm", "accounting", "database", "port"),
            value=database.port,
            reason="ports are 1 to 65535",
            remedy="use 3306, MySQL's own",
        )
    elif database and other:
        yield Problem(
            path=("slurm", "accounting", "database", "port"),
            value=database.port,
            reason=f"that is the port of {other}; the one of MySQL or MariaDB is wanted",
            remedy="use 3306, MySQL's own",
            level=Level.WARNING,
        )


@rule("HPC-SLM-014", Level.ERROR)
def database_names(cluster: ClusterSpec) -> Iterator[Problem]:
    """Names of the database and its user are those of MySQL.

    Source: MySQL reference manual, "Schema Object Names".
    """
    database = described(cluster).database
    if database is None:
        return
    for field, value, most in (("user", database.user, 32), ("name", database.name, 64)):
        if not re.fullmatch(rf"[A-Za-z0-9_$-]{{1,{most}}}", value):
            yield Problem(
                path=("slurm", "accounting", "database", field),
                value=value,
                reason=f"{value!r} is no name to MySQL",
                remedy=f"use letters, digits and _, at most {most}",
            )
