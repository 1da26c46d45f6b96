"""Rules on an existing accounting database: where it is, and where its password is."""

import re
from collections.abc import Iterator

from hpc_components.aws.rules._arns import read_arn
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []


@rule("HPC-SLM-011", Level.ERROR)
def database_host(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The accounting database is named by its host alone, which is another than the head node.

    The head node runs a database only where none is named. One of RDS in another region is warned about: it is in
    another network. Source: slurmdbd.conf(5), StorageHost; ParallelCluster 3.16, DatabaseUriValidator; Amazon RDS
    user guide, "Connecting to your DB instance".
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is None:
        return
    if re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", database.host):
        rds = re.search(r"\.([a-z]+-[a-z-]+-\d)\.rds\.amazonaws\.com$", database.host)
        own = re.fullmatch(r"localhost(\..*)?|127\..*|0\.0\.0\.0", database.host)
        if own or (rds and rds[1] != cluster.region):
            yield Problem(
                path=("slurm", "accounting", "database", "host"),
                value=database.host,
                reason=f"the database is in {rds[1]}, the cluster in {cluster.region}"
                if rds
                else "the head node has no database of its own where one is named",
                remedy="name one in the cluster's region"
                if rds
                else "leave database out: the head node then runs one",
                level=Level.WARNING if rds else None,
            )
        return
    host = re.sub(r"^\w+://", "", database.host).rpartition("@")[2]
    name, _, port = host.partition("/")[0].partition(":")
    yield Problem(
        path=("slurm", "accounting", "database", "host"),
        value=database.host,
        reason=f"{database.host!r} is no host",
        remedy=f"write host: {name}" + (f" and port: {port}" if port.isdigit() else ""),
    )


@rule("HPC-SLM-013", Level.ERROR)
def database_secret(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The database's password is a secret of Secrets Manager in the cluster's region.

    The head node reads it there; it stands in no file of the project. Source: Secrets Manager API reference,
    GetSecretValue.
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is None:
        return
    path, arn = ("slurm", "accounting", "database", "password_secret"), read_arn(database.password_secret)
    if arn is None or arn.service != "secretsmanager" or not arn.resource.startswith("secret:"):
        # a password itself may stand here: it is not repeated
        yield Problem(
            path=path,
            reason="this is no ARN of a secret",
            remedy=f"write it like arn:aws:secretsmanager:{cluster.region}:123456789012:secret:slurm-db-AbCdEf, "
            "never the password itself",
        )
    elif arn.region != cluster.region:
        yield Problem(
            path=path,
            value=database.password_secret,
            reason=f"the secret is in {arn.region}, the cluster in {cluster.region}",
            remedy=f"replicate it to {cluster.region}, and name the copy",
        )
