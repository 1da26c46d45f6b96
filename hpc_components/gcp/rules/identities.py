"""Rules on the project, on service accounts of your own, and on secrets that nodes read."""

from collections.abc import Iterator, Mapping

from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

NEEDS = {
    "head_node": "Secret Manager Secret Accessor and Secret Version Adder on the secrets munge and jwt, Storage"
    " Object Viewer on the config bucket, Compute Instance Admin (v1), and Service Account User on the queues'"
    " accounts",
    "login_nodes": "Secret Manager Secret Accessor on the secrets munge and ssh-host, Secret Version Adder on"
    " ssh-host, Storage Object Viewer on the config bucket",
    "queues": "Secret Manager Secret Accessor on the secret munge, Storage Object Viewer on the config bucket",
}
"""What a service account that gets no roles from the cluster must have, by who uses it."""

EVERYBODYS = "-compute@developer.gserviceaccount.com"
"""The end of the account that Google makes for all machines of a project."""


@rule("HPC-IDN-005", Level.ERROR)
def project_id(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The project is named by its id: 6 to 30 small letters, digits and hyphens, a letter first.

    Its name, which may have capitals and blanks, and its number are others. Source: Resource Manager documentation,
    "Creating and managing projects", project ids.
    """
    id = cluster.project
    if id.isdigit():
        wrong = (
            f"{id} is a project's number",
            f"write its id: gcloud projects describe {id} --format 'value(projectId)'",
        )
    else:
        wrong = wrong_name("project", id.rpartition(":")[2])  # an old project has its domain before its name
    if wrong:
        yield Problem(path=("project",), value=id, reason=wrong[0], remedy=wrong[1])


@rule("HPC-IDN-006", Level.ERROR)
def account_emails(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A service account of your own is named by its email.

    Source: IAM documentation, "Service accounts overview", service account emails.
    """
    for path, email in _accounts(cluster):
        wrong, plain = wrong_id("service_account", email), email.removeprefix("serviceAccount:")
        if wrong and plain != email:
            wrong = f"{email!r} is how IAM names a member", f"use {plain}"
        if wrong:
            yield Problem(path=path, value=email, reason=wrong[0], remedy=wrong[1])


@rule("HPC-IDN-007", Level.WARNING)
def account_roles(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A service account of your own has the roles that its nodes need.

    The cluster gives it none. Without them nodes end themselves at boot, or the head node launches none. Source: IAM
    documentation, "IAM basic and predefined roles reference".
    """
    for path, email in _accounts(cluster):
        if not wrong_id("service_account", email):
            yield Problem(
                path=path,
                value=email,
                reason="it gets no roles from the cluster, and nodes do nothing without",
                remedy=f"after the first pulumi up give it {NEEDS[str(path[0])]}; or remove service_account",
            )


@rule("HPC-IDN-008", Level.WARNING)
def account_of_everybody(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Nodes don't have the account that Google makes for all machines of a project.

    It is often Editor of the project, and on compute nodes jobs get its tokens. Source: Compute Engine documentation,
    "Service accounts", Compute Engine default service account.
    """
    for path, email in _accounts(cluster):
        if email.endswith(EVERYBODYS):
            yield Problem(
                path=path,
                value=email,
                reason="it is the account of all machines of the project, and often may change all of it"
                + (": so may each job" if path[0] == "queues" else ""),
                remedy="remove it for an account with just the permissions needed, or name one of your own",
            )


@rule("HPC-IDN-009", Level.WARNING)
def account_of_another_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A service account is of the cluster's project.

    One of another can be given to machines only where both projects allow it. Source: IAM documentation, "Attach
    service accounts to resources", service accounts of other projects.
    """
    for path, email in _accounts(cluster):
        parts = id_parts("service_account", email)
        project = parts["project"].removesuffix(".iam") if parts else cluster.project
        if project != cluster.project and not email.endswith(EVERYBODYS):
            yield Problem(
                path=path,
                value=email,
                reason=f"it is of project {project}, and machines are made in {cluster.project}",
                remedy=f"name one of {cluster.project}; or lift the constraint"
                f" iam.disableCrossProjectServiceAccountUsage in {project}, and silence this",
            )


@rule("HPC-IDN-010", Level.WARNING)
def lent_by_own_account(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Nodes with a service account of your own lend none for buckets.

    Only what the cluster makes gets roles. Jobs of such a queue have the node's account, which may be given the
    rights; people on such login nodes have none. Source: the project's documentation, "What a cloud brings".
    """
    for path, email in _accounts(cluster):
        of_queue = path[0] == "queues"
        place = cluster.queues[int(path[1])].name if of_queue else LOGIN
        if path[0] == "head_node" and cluster.login_nodes:
            continue
        keys = [key for key, bucket in cluster.buckets.items() if bucket_access(bucket, place)]
        if not keys or wrong_id("service_account", email):
            continue
        yield Problem(
            path=path,
            value=email,
            reason=f"jobs of queue {place} reach {any_of(keys)} by it alone, and its roles are not known here"
            if of_queue
            else f"people there can't read {any_of(keys)}: nodes with an account of your own lend none for it",
            remedy="give it the role roles/storage.objectUser there, or remove service_account"
            if of_queue
            else f"remove service_account, or {LOGIN} from who may read it: "
            f"read_from: [{', '.join(queue.name for queue in cluster.queues)}]",
            level=Level.INFO if of_queue else None,
        )


@rule("HPC-IDN-011", Level.WARNING)
def password_in_reach(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The head node may read the secret with the password of an existing database.

    The secret is yours, and nothing there is changed. Source: Secret Manager documentation, "Access control with
    IAM".
    """
    if found := _password(cluster):
        project, secret = found["project"], found["name"]
        yield Problem(
            path=_PASSWORD,
            value=_written(cluster),
            reason=f"nothing here lets the head node read {secret} of project {project}",
            remedy=f"after the first pulumi up: gcloud secrets add-iam-policy-binding {secret} --project {project}"
            " --role roles/secretmanager.secretAccessor --member serviceAccount:<that of the head node>",
        )


@rule("HPC-IDN-012", Level.WARNING)
def secret_version(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The password of a database is the latest version of a secret, so that a new password is found.

    Source: Secret Manager documentation, "Access a secret version".
    """
    if (found := _password(cluster)) and found["version"] != "latest":
        yield Problem(
            path=_PASSWORD,
            value=_written(cluster),
            reason=f"with version {found['version']}, the head node never sees a new password",
            remedy=f"use projects/{found['project']}/secrets/{found['name']}/versions/latest",
        )


_PASSWORD: Path = ("slurm", "accounting", "database", "password_secret")


def _written(cluster: GcpClusterSpec) -> str | None:
    """The secret's name as it stands in the description."""
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    return database.password_secret if database else None


def _password(cluster: GcpClusterSpec) -> Mapping[str, str] | None:
    """The parts of the id of the secret with the password of an existing database."""
    written = _written(cluster)
    return id_parts("secret_version", written) if written else None


def _accounts(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str]]:
    """Every service account of the user's own that nodes have, and where it stands."""
    if cluster.head_node.service_account is not None:
        yield ("head_node", "service_account"), cluster.head_node.service_account
    if cluster.login_nodes and cluster.login_nodes.service_account is not None:
        yield ("login_nodes", "service_account"), cluster.login_nodes.service_account
    for index, queue in enumerate(cluster.queues):
        if queue.service_account is not None:
            yield ("queues", index, "service_account"), queue.service_account
