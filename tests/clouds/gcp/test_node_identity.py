from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import OWN, PROJECT, REGION, SECRETS, SERVICES, THEIRS, bucket, email
from hpc_components.gcp.catalog.accounts import account_id, account_resource, role_id
from hpc_components.gcp.identity.component import NodeIdentity, NodeIdentityArgs
from hpc_components.gcp.identity.data_identity import DataIdentityArgs
from hpc_components.gcp.identity.node_grants import compute_grants, head_grants, login_grants
from hpc_components.gcp.identity.roles import Condition, Grant, grant, make_role, names_that_begin_with
from hpc_components.gcp.ports import BucketAccess
from hpc_components.preview.record import Recording, record

CONFIG = SERVICES.config.bucket
READ, ACCESS, ADD, LOG = (
    "roles/storage.objectViewer",
    "roles/secretmanager.secretAccessor",
    "roles/secretmanager.secretVersionAdder",
    "roles/logging.logWriter",
)


def recorded(**change: Any) -> Recording:
    def program() -> None:
        made = NodeIdentity("cfd-compute", NodeIdentityArgs(**{"project": PROJECT, **change}))
        pulumi.export("own", made.identities.own.email)
        pulumi.export("lends", made.identities.lent is not None)

    return checked_preview(program)


def bound(recording: Recording) -> set[tuple[str, str, str]]:
    """Return name, role and resource of each binding."""
    keys = ("bucket", "secretId", "serviceAccountId", "subnetwork", "project")
    return {
        (each.name, each.inputs["role"], next(each.inputs[key] for key in keys if key in each.inputs))
        for each in recording.resources
        if "member" in each.inputs
    }


def test_a_new_account_may_do_nothing_yet():
    recording = recorded()
    assert {(each.type, each.name) for each in recording.resources} == {
        ("hpc:gcp:NodeIdentity", "cfd-compute"),
        ("gcp:serviceaccount/account:Account", "cfd-compute-account"),
    }
    account = recording.one("Account").inputs
    assert (account["accountId"], account["project"], account["displayName"]) == (
        "cfd-compute",
        PROJECT,
        "cfd-compute",
    )
    assert recording.outputs["lends"] is False


def test_people_and_jobs_get_tokens_of_a_second_one_that_may_use_buckets_and_nothing_else():
    recording = recorded(buckets=BucketAccess(read=(bucket("raw"),), write=(bucket("runs"),)))
    own, lent = (recording.one("Account", f"cfd-compute{end}").urn for end in ("-account", "-data-account"))
    assert {each.inputs["accountId"] for each in recording.all("Account")} == {"cfd-compute", "cfd-compute-data"}
    assert {(name, role) for name, role, _ in bound(recording)} == {
        ("cfd-compute-data-reads-raw", "roles/storage.objectViewer"),
        ("cfd-compute-data-writes-runs", "roles/storage.objectUser"),
        ("cfd-compute-lends-data", "roles/iam.serviceAccountTokenCreator"),
    }
    for each in recording.all("BucketIAMMember"):
        assert each.property_dependencies["member"] == (lent,)
    lends = recording.one("gcp:serviceaccount/iAMMember:IAMMember")
    assert lends.property_dependencies["member"] == (own,)
    assert lends.property_dependencies["serviceAccountId"] == (lent,), "tokens of that account alone"
    assert recording.outputs["lends"] is True


def test_an_account_for_no_bucket_is_refused():
    with pytest.raises(ValueError, match=r"^DataIdentityArgs\.buckets: an identity needs at least one bucket"):
        DataIdentityArgs(project=PROJECT, buckets=BucketAccess())


@pytest.mark.parametrize(
    ("grants", "expected"),
    [
        (
            compute_grants,
            {("n-reads-config", READ, CONFIG), ("n-reads-munge", ACCESS, "munge"), ("n-writes-logs", LOG, PROJECT)},
        ),
        (
            login_grants,
            {
                ("n-reads-config", READ, CONFIG),
                ("n-reads-munge", ACCESS, "munge"),
                ("n-reads-ssh-host", ACCESS, "ssh-host"),
                ("n-sets-ssh-host", ADD, "ssh-host"),
                ("n-writes-logs", LOG, PROJECT),
            },
        ),
        (
            head_grants,
            {
                ("n-reads-config", READ, CONFIG),
                ("n-reads-munge", ACCESS, "munge"),
                ("n-sets-munge", ADD, "munge"),
                ("n-reads-jwt", ACCESS, "jwt"),
                ("n-sets-jwt", ADD, "jwt"),
                ("n-writes-logs", LOG, PROJECT),
            },
        ),
    ],
)
def test_nodes_of_each_role_have_these_rights(grants, expected):
    recording = record(lambda: grant("n", OWN, grants(SERVICES, PROJECT), pulumi.ResourceOptions()))
    assert {(name, role, on.removeprefix(f"{SECRETS}/cfd-")) for name, role, on in bound(recording)} == expected
    assert {each.inputs["member"] for each in recording.resources} == {f"serviceAccount:{OWN.email}"}
    only_on_the_project = {each.name for each in recording.resources if "project" in each.inputs}
    assert only_on_the_project == {"n-writes-logs"}


def test_an_account_of_the_users_is_given_no_roles():
    grants = compute_grants(SERVICES, PROJECT)
    assert not record(lambda: grant("n", THEIRS.own, grants, pulumi.ResourceOptions())).resources


def test_every_kind_of_binding_is_one_members_and_may_have_a_condition():
    when = Condition(title="names", expression="true")
    on = {
        "project": ("gcp:projects/iAMMember:IAMMember", PROJECT),
        "bucket": ("gcp:storage/bucketIAMMember:BucketIAMMember", "wing"),
        "secret": ("gcp:secretmanager/secretIamMember:SecretIamMember", f"{SECRETS}/cfd-jwt"),
        "service_account": ("gcp:serviceaccount/iAMMember:IAMMember", account_resource(email("x-data"), PROJECT)),
        "subnet": (
            "gcp:compute/subnetworkIAMMember:SubnetworkIAMMember",
            f"projects/{PROJECT}/regions/{REGION}/subnetworks/nodes",
        ),
    }
    grants = [
        Grant(name=key, role="roles/x", on=key, resource=resource, condition=when)  # ty: ignore[invalid-argument-type]
        for key, (_, resource) in on.items()
    ]
    recording = checked_preview(lambda: grant("n", OWN, grants, pulumi.ResourceOptions()))
    assert {each.name.removeprefix("n-"): each.type for each in recording.resources} == {
        key: type for key, (type, _) in on.items()
    }
    for each in recording.resources:
        assert each.inputs["condition"] == {"title": "names", "expression": "true"}
    assert {(f"n-{key}", "roles/x", resource) for key, (_, resource) in on.items()} == bound(recording)


def test_a_custom_role_has_its_permissions():
    def program() -> None:
        role = make_role(
            "cfd-head-launch",
            project=PROJECT,
            title="Launch",
            description="Launches",
            permissions=("compute.instances.get", "compute.instances.create"),
            opts=pulumi.ResourceOptions(),
        )
        pulumi.export("role", role)

    role = checked_preview(program).one("IAMCustomRole").inputs
    assert role["roleId"] == "cfd_head_launch"
    assert role["permissions"] == ["compute.instances.create", "compute.instances.get"]


def test_a_condition_on_names():
    assert names_that_begin_with("cfd-", "Instance", "Disk").expression == (
        '(resource.type != "compute.googleapis.com/Instance" && resource.type != "compute.googleapis.com/Disk")'
        ' || resource.name.extract("/instances/{name}").startsWith("cfd-")'
        ' || resource.name.extract("/disks/{name}").startsWith("cfd-")'
    )


@pytest.mark.parametrize("name", ["cfd-head", "x" * 6, "x" * 30])
def test_accounts_have_the_name_that_they_are_given(name):
    assert account_id(name) == name


def test_where_google_takes_no_such_name_it_is_another_for_each():
    names = ["a-b", "a-c", "a" * 31, "a" * 32, "a" * 23 + "-" + "b" * 20, "a" * 22 + "-" + "b" * 20]
    ids = [account_id(name) for name in names]
    assert len({*ids}) == len(names)
    for found in ids:
        assert 6 <= len(found) <= 30
        assert "--" not in found
    assert ids == [account_id(name) for name in names]


def test_ids_of_roles_have_no_hyphen():
    assert role_id("cfd-head-launch") == "cfd_head_launch"


@pytest.mark.parametrize(
    ("address", "project"),
    [
        (email("cfd-head"), PROJECT),
        ("jobs@other-lab.iam.gserviceaccount.com", "other-lab"),
        ("12345-compute@developer.gserviceaccount.com", PROJECT),
    ],
)
def test_the_full_name_of_an_account(address, project):
    assert account_resource(address, PROJECT) == f"projects/{project}/serviceAccounts/{address}"
