from collections.abc import Iterator, Mapping

from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, password_secrets, value_rule
from hpc_components.wording import any_of

NEEDS = {
    "head_node": "Secret Manager Secret Accessor and Secret Version Adder on the secrets munge and jwt, Storage"
    " Object Viewer on the config bucket, Compute Instance Admin (v1), and Service Account User on the queues'"
    " accounts",
    "login_nodes": "Secret Manager Secret Accessor on the secrets munge and ssh-host, "
    "Secret Version Adder on ssh-host, and Storage Object Viewer on the "
    "config bucket",
    "queues": "Secret Manager Secret Accessor on the secret munge, and Storage Object Viewer on the config bucket",
}
"""Maps each kind of node to the roles that you must grant if the nodes use your own service account."""

NEEDS_WITH_PEOPLE = {
    "head_node": ", and, to publish the cluster's people, Storage Object User on those objects of the config bucket "
    "whose names begin with published/"
}
"""Continues `NEEDS` for a cluster with `people`."""

DEFAULT_ACCOUNT = "-compute@developer.gserviceaccount.com"


def _project(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    yield ("project",), cluster.project


def _accounts(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    """Yield (path, email) for each service account that nodes use but the cluster doesn't create."""
    return ((one.path, one.written) for one in cluster.node_identities() if one.path[-1] == "service_account")


def _valid_accounts(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    return ((path, email) for path, email in _accounts(cluster) if not wrong_id("service_account", email))


def _password(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
    for path, written in password_secrets(cluster):
        if parts := id_parts("secret_version", written):
            yield path, written, parts


@value_rule("HPC-IDN-005", Level.ERROR, _project)
def project_id(_: GcpClusterSpec, path: Path, id: str) -> Wrong | None:
    """Specify the project by its id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter.

    A project also has a number, and a name that may contain capitals and spaces; neither can be used here. Source:
    Resource Manager documentation, "Creating and managing projects", project ids.
    """
    if id.isdigit():
        remedy = (
            f"use the project's id, which you can look up with: gcloud projects describe {id} --format "
            "'value(projectId)'"
        )
        return f"{id} is a project number, not a project id", remedy
    return wrong_name("project", id.rpartition(":")[2])  # ids of some old projects begin with a domain


@value_rule("HPC-IDN-006", Level.ERROR, _accounts)
def account_emails(_: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """Specify your own service account by its email.

    Source: IAM documentation, "Service accounts overview", service account emails.
    """
    wrong, plain = wrong_id("service_account", email), email.removeprefix("serviceAccount:")
    return (f"{email!r} is an IAM member, not an email", f"use {plain}") if wrong and plain != email else wrong


@value_rule("HPC-IDN-007", Level.WARNING, _valid_accounts)
def account_roles(cluster: GcpClusterSpec, path: Path, email: str) -> Wrong:
    """Your own service account needs the roles that its nodes require.

    The cluster doesn't grant roles to your own accounts. Without the roles, compute and login nodes terminate
    themselves at boot, and the head node can't launch nodes.

    Source: IAM documentation, "IAM basic and predefined roles reference".
    """
    place = str(path[0])
    needs = NEEDS[place] + (NEEDS_WITH_PEOPLE.get(place, "") if cluster.people is not None else "")
    return (
        "the cluster doesn't grant roles to your own service account, and nodes don't work without them",
        f"after the first pulumi up, grant the account {needs}, or remove service_account",
    )


@value_rule("HPC-IDN-008", Level.WARNING, _accounts)
def default_account(_: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """Nodes must not use the default Compute Engine service account.

    This account often has the Editor role on the project, and jobs on compute nodes can get its tokens. Source:
    Compute Engine documentation, "Service accounts", Compute Engine default service account.
    """
    if not email.endswith(DEFAULT_ACCOUNT):
        return None
    return (
        "all machines in the project use this account by default, and it often has permission to change the "
        "entire project" + (", and so does every job" if path[0] == "queues" else ""),
        "remove service_account to get a new account with just the permissions needed, or specify another "
        "account of your own",
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
        f"the account belongs to project {project}, but machines are created in {cluster.project}",
        f"use a service account of {cluster.project}, or lift the constraint "
        f"iam.disableCrossProjectServiceAccountUsage in {project} and silence this finding",
    )


@value_rule("HPC-IDN-010", Level.WARNING, _valid_accounts)
def lent_by_own_account(cluster: GcpClusterSpec, path: Path, email: str) -> Wrong | None:
    """Nodes whose users or jobs access buckets should not use your own service account.

    The cluster grants roles only to accounts that it creates, so nodes with your own account have no separate account
    for buckets. In a queue, jobs therefore use the nodes' account, and you can grant the roles to that account. On
    login nodes, users have no access to buckets at all. Source: the project's documentation, "What a cloud brings".
    """
    of_queue = path[0] == "queues"
    place = cluster.queues[int(path[1])].name if of_queue else LOGIN
    keys = any_of(key for key, bucket in cluster.buckets.items() if bucket_access(bucket, place))
    if not keys or (path[0] == "head_node" and cluster.login_nodes):
        return None
    if of_queue:
        return (
            f"jobs in queue {place} can access {keys} only with this account, whose roles can't be checked here",
            "grant the account roles/storage.objectUser on the buckets, or remove service_account",
            Level.INFO,
        )
    return (
        f"users on these nodes can't read {keys}: nodes with your own service account have no separate "
        "account for buckets",
        f"remove service_account, or remove {LOGIN} from the bucket's readers (read_from: "
        f"[{', '.join(queue.name for queue in cluster.queues)}])",
    )


@value_rule("HPC-IDN-011", Level.WARNING, _password)
def password_in_reach(_: GcpClusterSpec, path: Path, id: str, secret: Mapping[str, str]) -> Wrong:
    """The head node needs permission to read the secret with the password of an existing database or directory.

    You have to grant the permission yourself, because the cluster doesn't change the permissions of your own secrets.
    Source: Secret Manager documentation, "Access control with IAM".
    """
    name, project = secret["name"], secret["project"]
    return (
        f"the cluster doesn't permit the head node to read secret {name} in project {project}",
        f"after the first pulumi up, run: gcloud secrets add-iam-policy-binding {name} --project {project} "
        "--role roles/secretmanager.secretAccessor --member serviceAccount:<email of the head node's account>",
    )


@value_rule("HPC-IDN-012", Level.WARNING, _password)
def secret_version(_: GcpClusterSpec, path: Path, id: str, secret: Mapping[str, str]) -> Wrong | None:
    """For a database or directory password, use the latest version of the secret, so that a new one takes effect.

    Source: Secret Manager documentation, "Access a secret version".
    """
    if secret["version"] == "latest":
        return None
    return (
        f"the secret's version is fixed to {secret['version']}, so the head node would never get a new password",
        f"use projects/{secret['project']}/secrets/{secret['name']}/versions/latest",
    )
