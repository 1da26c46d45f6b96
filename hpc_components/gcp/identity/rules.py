"""Rules on the project, on your own service accounts, and on secrets that nodes read."""

from collections.abc import Iterator, Mapping

from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, password_secret, value_rule
from hpc_components.wording import any_of

NEEDS = {
    "head_node": "Secret Manager Secret Accessor and Secret Version Adder on the secrets munge and jwt, Storage"
    " Object Viewer on the config bucket, Compute Instance Admin (v1), and Service Account User on the queues'"
    " accounts",
    "login_nodes": "Secret Manager Secret Accessor on the secrets munge and ssh-host, Secret Version Adder on"
    " ssh-host, Storage Object Viewer on the config bucket",
    "queues": "Secret Manager Secret Accessor on the secret munge, Storage Object Viewer on the config bucket",
}
"""Maps each kind of node to the roles that you must grant to its service account if the account is your own."""

DEFAULT_ACCOUNT = "-compute@developer.gserviceaccount.com"
"""Suffix of a project's default Compute Engine service account."""


def _project(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    yield ("project",), cluster.project


def _accounts(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    """Yield (path, email) for each service account that nodes use but the cluster doesn't create."""
    return ((one.path, one.written) for one in cluster.node_identities() if one.path[-1] == "service_account")


def _valid_accounts(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    return ((path, email) for path, email in _accounts(cluster) if not wrong_id("service_account", email))


def _password(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
    """Yield (path, id, parsed id) for the secret that holds an existing database's password."""
    for path, written in password_secret(cluster):
        if parts := id_parts("secret_version", written):
            yield path, written, parts


@value_rule("HPC-IDN-005", Level.ERROR, _project)
def project_id(_: GcpClusterSpec, path: Path, id: str) -> Wrong | None:
    """Specify the project by its id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.

    A project also has a number, and a name that may contain capitals and spaces; neither can be used here. Source:
    Resource Manager documentation, "Creating and managing projects", project ids.
    """
    if id.isdigit():
        remedy = f"write its id: gcloud projects describe {id} --format 'value(projectId)'"
        return f"{id} is a project's number", remedy
    return wrong_name("project", id.rpartition(":")[2])  # an old project's id begins with its domain


@value_rule("HPC-IDN-006", Level.ERROR, _accounts)
def account_emails(_: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """Specify your own service account by its email.

    Source: IAM documentation, "Service accounts overview", service account emails.
    """
    wrong, plain = wrong_id("service_account", email), email.removeprefix("serviceAccount:")
    return (f"{email!r} is how IAM names a member", f"use {plain}") if wrong and plain != email else wrong


@value_rule("HPC-IDN-007", Level.WARNING, _valid_accounts)
def account_roles(_: GcpClusterSpec, path: Path, email: str) -> Wrong:
    """Your own service account needs the roles that its nodes require.

    The cluster doesn't grant it any. Without the roles, compute and login nodes terminate themselves at boot, and the
    head node can't launch nodes.
    Source: IAM documentation, "IAM basic and predefined roles reference".
    """
    return (
        "the cluster grants it no roles, and nodes can do nothing without them",
        f"after the first pulumi up give it {NEEDS[str(path[0])]}; or remove service_account",
    )


@value_rule("HPC-IDN-008", Level.WARNING, _accounts)
def default_account(_: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """Nodes must not use the default Compute Engine service account.

    It often has the Editor role on the project, and on compute nodes, jobs can get its tokens. Source: Compute Engine
    documentation, "Service accounts", Compute Engine default service account.
    """
    if not email.endswith(DEFAULT_ACCOUNT):
        return None
    return (
        "all machines of the project use it by default, and often it may change the whole project"
        + (": so may each job" if path[0] == "queues" else ""),
        "remove it for an account with just the permissions needed, or name one of your own",
    )


@value_rule("HPC-IDN-009", Level.WARNING, _accounts)
def account_of_another_project(cluster: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """A service account should belong to the cluster's project.

    Machines can use an account from another project only if both projects allow it. Source: IAM documentation,
    "Attach service accounts to resources", service accounts of other projects.
    """
    parts = id_parts("service_account", email)
    project = parts["project"].removesuffix(".iam") if parts else cluster.project
    if project == cluster.project or email.endswith(DEFAULT_ACCOUNT):
        return None
    return (
        f"it belongs to project {project}, and machines are created in {cluster.project}",
        f"name one of {cluster.project}; or lift the constraint iam.disableCrossProjectServiceAccountUsage in"
        f" {project}, and silence this",
    )


@value_rule("HPC-IDN-010", Level.WARNING, _valid_accounts)
def lent_by_own_account(cluster: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """If nodes use your own service account, their users and jobs get no separate account for buckets.

    The cluster grants roles only to accounts that it creates. Jobs in such a queue use the node's account, to which
    you can grant the roles; users on such login nodes have no account to use. Source: the project's documentation,
    "What a cloud brings".
    """
    of_queue = path[0] == "queues"
    place = cluster.queues[int(path[1])].name if of_queue else LOGIN
    keys = any_of(key for key, bucket in cluster.buckets.items() if bucket_access(bucket, place))
    if not keys or (path[0] == "head_node" and cluster.login_nodes):
        return None
    if of_queue:
        return (
            f"jobs of queue {place} reach {keys} with it alone, and its roles are unknown here",
            "give it the role roles/storage.objectUser there, or remove service_account",
            Level.INFO,
        )
    return (
        f"people there can't read {keys}: nodes with an account of your own lend none for it",
        f"remove service_account, or {LOGIN} from who may read it: "
        f"read_from: [{', '.join(queue.name for queue in cluster.queues)}]",
    )


@value_rule("HPC-IDN-011", Level.WARNING, _password)
def password_in_reach(_: GcpClusterSpec, path: Path, id: str, secret: Mapping[str, str]) -> Wrong:
    """The head node needs permission to read the secret that holds an existing database's password.

    You have to grant it: the secret is yours, and the cluster doesn't change its permissions. Source: Secret Manager
    documentation, "Access control with IAM".
    """
    name, project = secret["name"], secret["project"]
    return (
        f"the cluster does not let the head node read {name} of project {project}",
        f"after the first pulumi up: gcloud secrets add-iam-policy-binding {name} --project {project}"
        " --role roles/secretmanager.secretAccessor --member serviceAccount:<that of the head node>",
    )


@value_rule("HPC-IDN-012", Level.WARNING, _password)
def secret_version(_: GcpClusterSpec, path: Path, id: str, secret: Mapping[str, str]) -> Wrong | None:
    """Use the latest version of the secret for a database's password, so that a new password takes effect.

    Source: Secret Manager documentation, "Access a secret version".
    """
    if secret["version"] == "latest":
        return None
    return (
        f"with version {secret['version']}, the head node never sees a new password",
        f"use projects/{secret['project']}/secrets/{secret['name']}/versions/latest",
    )
