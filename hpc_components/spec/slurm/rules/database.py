import re
from collections.abc import Iterator

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import is_host, is_own_host
from hpc_components.spec.rules._values import wrong_secret
from hpc_components.spec.slurm.rules._accounting import described

FOREIGN_PORTS = {1433: "SQL Server", 1521: "Oracle", 5432: "PostgreSQL"} | dict.fromkeys(
    range(6817, 6821), "Slurm's daemons"
)
"""Maps ports to the servers that usually listen on them. slurmdbd can't use any of these servers as its database."""


@rule("HPC-SLM-011", Level.ERROR)
def database_host(cluster: ClusterSpec) -> Iterator[Problem]:
    """The database's `host` must be a host name or address without scheme or port, and not the head node.

    The head node runs a database only if the description doesn't specify one. A cloud database in another region is
    in a different network, so it causes a warning. Source: slurmdbd.conf(5), StorageHost; ParallelCluster 3.16,
    DatabaseUriValidator.
    """
    database = described(cluster).database
    if database is None:
        return
    if is_host(database.host):
        region = catalog_of(cluster.cloud).region_of_host(database.host)
        if is_own_host(database.host) or (region and region != cluster.region):
            yield Problem(
                path=("slurm", "accounting", "database", "host"),
                value=database.host,
                reason=f"the database is in {region}, but the cluster is in {cluster.region}"
                if region
                else "the head node does not run a database if the description specifies one",
                remedy="use a database in the cluster's region"
                if region
                else "remove database; the head node then runs its own",
                level=Level.WARNING if region else None,
            )
        return
    host = re.sub(r"^\w+://", "", database.host).rpartition("@")[2]
    name, _, port = host.partition("/")[0].partition(":")
    yield Problem(
        path=("slurm", "accounting", "database", "host"),
        value=database.host,
        reason=f"{database.host!r} is not a valid host name or address",
        remedy=f"write host: {name}" + (f" and port: {port}" if port.isdigit() else ""),
    )


@rule("HPC-SLM-012", Level.ERROR)
def database_port(cluster: ClusterSpec) -> Iterator[Problem]:
    """The accounting database's port must be valid, and must not be one that Slurm or another kind of database uses.

    Source: slurmdbd.conf(5), StoragePort, StorageType: MySQL and MariaDB.
    """
    database = described(cluster).database
    other = FOREIGN_PORTS.get(database.port) if database else None
    if database and not 1 <= database.port <= 65535:
        yield Problem(
            path=("slurm", "accounting", "database", "port"),
            value=database.port,
            reason="a port must be a number from 1 to 65535",
            remedy="use 3306, MySQL's default",
        )
    elif database and other:
        yield Problem(
            path=("slurm", "accounting", "database", "port"),
            value=database.port,
            reason=f"this port is normally used by {other}, but slurmdbd needs MySQL or MariaDB",
            remedy="use 3306, MySQL's default",
            level=Level.WARNING,
        )


@rule("HPC-SLM-013", Level.ERROR)
def database_secret(cluster: ClusterSpec) -> Iterator[Problem]:
    """The database's password must be in a secret in the cluster's region, specified by its full name.

    The head node reads the password from the secret, so the
    project's files don't contain it. Source: on AWS, Secrets Manager API reference, GetSecretValue.
    """
    if database := described(cluster).database:
        path = ("slurm", "accounting", "database", "password_secret")
        yield from wrong_secret(cluster, path, database.password_secret)


@rule("HPC-SLM-014", Level.ERROR)
def database_names(cluster: ClusterSpec) -> Iterator[Problem]:
    """The database name and user name must be valid in MySQL.

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
                reason=f"{value!r} is not a valid MySQL name",
                remedy=f"use at most {most} letters, digits and underscores",
            )
