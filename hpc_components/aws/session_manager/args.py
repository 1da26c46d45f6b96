from collections.abc import Mapping

from hpc_components.aws.ports import ConfigStore, Identity
from hpc_components.aws.session_manager.component import SessionManagerArgs
from hpc_components.aws.session_manager.model import Sessions
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags


def session_manager_args(
    cluster: AwsClusterSpec, sessions: Sessions, config: ConfigStore, nodes: Mapping[str, Identity], tags: Tags
) -> SessionManagerArgs:
    """Return the arguments for sessions. `nodes` maps the values of `hpc:role` to the own roles of these nodes."""
    return SessionManagerArgs(
        cluster=cluster.name,
        config=config,
        users_on="login" if cluster.login_nodes else "head",
        nodes=nodes,
        max_sessions_per_user=sessions.max_sessions_per_user,
        idle_minutes=sessions.idle_timeout.seconds // 60,
        max_minutes=sessions.max_duration.seconds // 60 if sessions.max_duration else None,
        log_days=int(sessions.logs.days) if sessions.logs else None,
        kms_key=sessions.kms_key,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )
