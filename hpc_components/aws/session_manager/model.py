from collections.abc import Iterator
from typing import TYPE_CHECKING

from hpc_components.aws.session_manager.offer import SessionOrder
from hpc_components.spec.model import Int, Model
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration
from hpc_components.wording import plural

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec


class Sessions(Model):
    """Sessions that users start with AWS Systems Manager Session Manager, on the login nodes or, in a cluster without
    login nodes, on the head node. Each session runs under the account whose name is in the tag `SSMSessionRunAs` of
    the user's identity.
    """

    max_sessions_per_user: Int | None = None
    """Maximum number of a user's simultaneous sessions on all these nodes together. If there are more, the newest
    ones are ended. Default: no limit."""
    idle_timeout: Duration = Duration.parse("20m")
    """How long a session may be without activity, from 1m to 60m."""
    max_duration: Duration | None = None
    """Maximum duration of a session, from 1m to 24h. Default: no limit."""
    logs: Duration | None = None
    """How long to keep logs of everything that sessions display: one of CloudWatch's retention times (1d, 3d, 5d, 7d,
    14d, 30d, ...), or null for no logs."""
    kms_key: str | None = None
    """ARN of a KMS key that encrypts the logs and, in addition to TLS, the sessions themselves."""

    def in_words(self, cluster: "AwsClusterSpec") -> str:
        most = self.max_sessions_per_user
        limit = f", with at most {plural(most, 'session')} at a time on all of them" if most else ""
        place = "login nodes" if cluster.login_nodes else "head node"
        return f"Session Manager lets users with permission log in to the {place} under their own accounts{limit}."


KEYS: Keys = {
    "idle_minutes": Key(("idle_timeout",), lambda minutes: f"{minutes}m"),
    "max_minutes": Key(("max_duration",), lambda minutes: f"{minutes}m"),
    "sessions": Key(("max_sessions_per_user",)),
    "log_days": Key(("logs",), lambda days: f"{days}d"),
}


def orders_of(cluster: "AwsClusterSpec") -> Iterator[tuple[SessionOrder, Surface]]:
    sessions = cluster.session_manager
    if sessions is None:
        return
    order = SessionOrder(
        idle_minutes=sessions.idle_timeout.seconds / 60,
        max_minutes=sessions.max_duration.seconds / 60 if sessions.max_duration else None,
        sessions=sessions.max_sessions_per_user,
        log_days=sessions.logs.days if sessions.logs else None,
    )
    yield order, described(sessions, ("session_manager",), KEYS, cluster)
