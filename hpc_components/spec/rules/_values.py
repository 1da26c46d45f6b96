import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from inspect import signature
from typing import Any

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import add_rule
from hpc_components.wording import plural

Wrong = tuple[str, str] | tuple[str, str, Level | None]
"""(reason, remedy), or (reason, remedy, level) if the finding's level may differ from the rule's."""

Judge = Callable[..., Wrong | None]
"""A function that takes the cluster and the items of a tuple from `places`: the path, the value and any additional
items."""


def value_rule(id: str, level: Level, places: Callable[[Any], Iterable[tuple[Any, ...]]]) -> Callable[[Judge], Judge]:
    """Register a function that checks a single value as the rule `id`. The function's docstring explains the rule.

    `places` yields (path, value, ...) for each value to check. The function's first parameter must be annotated with
    the model of the clusters that the rule applies to.
    """

    def register(judge: Judge) -> Judge:
        @wraps(judge)
        def check(cluster: ClusterSpec) -> Iterator[Problem]:
            for path, value, *more in places(cluster):
                if wrong := judge(cluster, path, value, *more):
                    reason, remedy, *own = wrong
                    yield Problem(path=path, value=value, reason=reason, remedy=remedy, level=own[0] if own else None)

        (cluster, *_) = signature(judge).parameters.values()
        add_rule(check, id, level, cluster.annotation)
        return judge

    return register


def cluster_name(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    yield ("name",), cluster.name


def queue_names(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index, "name"), queue.name


def recipe_names(cluster: ClusterSpec) -> Iterator[tuple[Path, None, str]]:
    """Yield (path, None, name) for each recipe. The value is None because the path already contains the name."""
    for name in cluster.images:
        yield ("images", name), None, name


def tag_keys(cluster: ClusterSpec) -> Iterator[tuple[Path, None, str]]:
    """Yield (path, None, key) for each tag. The value is None because the path already contains the key."""
    for key in cluster.tags:
        yield ("tags", key), None, key


def tag_values(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for key, value in cluster.tags.items():
        yield ("tags", key), value


def password_secrets(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    """Yield the secrets of others that the head node reads: the passwords of a database, a directory and a mail
    server, and the addresses of webhooks.
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    directory = cluster.directory
    if database and database.password_secret:
        yield ("slurm", "accounting", "database", "password_secret"), database.password_secret
    if directory and directory.password_secret:
        yield ("people", "directory", "password_secret"), directory.password_secret
    if cluster.budget and cluster.budget.webhook_secret:
        yield ("budget", "webhook_secret"), cluster.budget.webhook_secret
    alerts = cluster.monitoring.alerts if cluster.monitoring else None
    if alerts and alerts.smtp_password_secret:
        yield ("monitoring", "alerts", "smtp_password_secret"), alerts.smtp_password_secret
    if alerts and alerts.webhook_secret:
        yield ("monitoring", "alerts", "webhook_secret"), alerts.webhook_secret


def wrong_secret(cluster: ClusterSpec, path: Path, secret: str) -> Iterator[Problem]:
    """Yield a problem if `secret` is not the full name of a secret in the cluster's region. If it may be the secret
    itself, the problem does not show it."""
    if mistaken := catalog_of(cluster.cloud).id_mistake("secret", secret, cluster.region):
        yield Problem(
            path=path,
            value=None if mistaken.may_be_secret else secret,
            reason=mistaken.reason,
            remedy=mistaken.remedy,
        )


def wrong_mail_address(address: str, before: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return (reason, remedy) if this is not an email address, or one of those `before` it."""
    if not re.fullmatch(r"[^@\s,;<>]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", address):
        return f"{address!r} is not an email address", "use an address such as hpc-admins@example.org"
    if address.lower() in (other.lower() for other in before):
        return f"{address} is a duplicate", "remove the duplicate"
    return None


def too_long(
    made: str, most: int, *, what: str, whose: str = "the queue's or cluster's name", end: str = ""
) -> Wrong | None:
    """Refuse a derived name that has more than `most` characters.

    `end` is a placeholder for a random suffix.
    """
    if (over := len(made + end) - most) <= 0:
        return None
    called = f"{what} would be named {made}" + (" plus a random suffix" if end else "")
    return (
        f"{called}, which is {plural(over, 'character')} over the limit of {most}",
        f"shorten {whose} by {over}",
    )


def bucket_of_cluster(name: str, wrong_bucket_name: Callable[[str], tuple[str, str] | None]) -> Wrong | None:
    """Refuse a valid cluster name that a bucket name can't begin with.

    Invalid cluster names are left to HPC-NAM-001.
    """
    made = f"{name.lower()}-config"
    wrong = wrong_bucket_name(made) if re.fullmatch(r"[a-z][a-z0-9-]{0,39}", name.lower()) else None
    return (
        (f"a bucket of this cluster would be named {made} plus a random suffix: {wrong[0]}", wrong[1])
        if wrong
        else None
    )
