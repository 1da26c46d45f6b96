import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spec.rules.judged import paths, problems, queue

KEY = "arn:aws:kms:us-east-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"


@pytest.mark.parametrize(
    "arn",
    ["arn:aws:iam::123456789012:policy/b", "arn:aws:iam::aws:policy/P", "arn:aws-cn:iam::123456789012:policy/a/b"],
)
def test_a_right_permissions_boundary_is_accepted(arn):
    assert not paths("HPC-IAM-001", iam={"permissions_boundary": arn})


@pytest.mark.parametrize("arn", ["b", "", "arn:aws:iam::123456789012:role/b", "arn:aws:iam::1234:policy/b"])
def test_a_wrong_permissions_boundary_is_found(arn):
    assert paths("HPC-IAM-001", iam={"permissions_boundary": arn}) == ["iam.permissions_boundary"]


@pytest.mark.parametrize(
    ("path", "right"),
    [("/", True), ("/a/", True), ("/a/b/", True), ("a/", False), ("/a", False), ("", False), ("/a b/", False),
     ("/" + "a" * 510 + "/", True), ("/" + "a" * 511 + "/", False)],
)  # fmt: skip
def test_a_role_path_must_be_right(path, right):
    assert bool(paths("HPC-IAM-002", iam={"role_path": path})) is not right


@settings(deadline=None)
@given(st.text(max_size=40))
def test_proposed_path_is_right(path):
    for problem in problems("HPC-IAM-002", iam={"role_path": path}):
        assert not paths("HPC-IAM-002", iam={"role_path": problem.remedy.removeprefix("use ")})


@pytest.mark.parametrize("key", ["alias/hpc", KEY.replace("key/", "alias/"), "01234567-89ab-cdef-0123-456789abcdef"])
def test_keys_by_another_name(key):
    storage = {"home": {"type": "efs", "mount": "/home", "kms_key": key}}
    assert paths("HPC-IAM-003", storage=storage) == ["storage.home.kms_key"]
    assert not paths("HPC-IAM-003", storage={"home": {"type": "efs", "mount": "/home", "kms_key": KEY}})


def test_every_place_of_a_key_is_looked_at():
    disk = {"size": "64GiB", "kms_key": "k"}
    found = paths(
        "HPC-IAM-003",
        head_node={"machine": "c6i.xlarge", "root": disk, "state": disk},
        login_nodes={"machine": "m7i.large", "root": disk},
        queues=[queue(root=disk)],
        storage={
            "a": {"type": "lustre", "mount": "/a", "kms_key": "k"},
            "b": {"type": "nfs", "mount": "/b", "kms_key": "k"},
        },
    )
    assert found == [
        "head_node.root.kms_key", "head_node.state.kms_key", "login_nodes.root.kms_key", "queues[0].root.kms_key",
        "storage.a.kms_key", "storage.b.kms_key",
    ]  # fmt: skip


def test_a_key_must_be_of_the_region():
    storage = {"home": {"type": "efs", "mount": "/home", "kms_key": KEY}}
    assert not paths("HPC-IAM-004", storage=storage)
    assert paths("HPC-IAM-004", storage=storage, region="eu-north-1") == ["storage.home.kms_key"]


def test_an_instance_profile_must_be_a_name():
    assert not paths("HPC-IAM-005", queues=[queue(instance_profile="hpc-node_1+=,.@x")])
    (problem,) = problems(
        "HPC-IAM-005", queues=[queue(instance_profile="arn:aws:iam::123456789012:instance-profile/path/hpc-node")]
    )
    assert problem.remedy == "use the profile's name: hpc-node"
    login = {"machine": "m7i.large", "instance_profile": "a b"}
    assert paths("HPC-IAM-005", login_nodes=login) == ["login_nodes.instance_profile"]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("a", True), ("my key", True), ("", False), (" a", False), ("a" * 256, False), ("id.pem", False),
        ("ssh-ed25519 AAAA", False), ("-----BEGIN KEY-----", False),
    ],
)  # fmt: skip
def test_a_key_pair_must_have_a_right_name(name, right):
    assert bool(paths("HPC-IAM-006", head_node={"machine": "c6i.xlarge", "key_pair": name})) is not right


def test_a_private_key_is_never_repeated():
    key = "-----BEGIN KEY-----"
    (problem,) = problems("HPC-IAM-006", head_node={"machine": "c6i.xlarge", "key_pair": key})
    assert "BEGIN" not in f"{problem.value}{problem.reason}{problem.remedy}"


OTHER = KEY.replace("0123456789ab-", "").replace("01234567", "76543210")
DISK = {"size": "64GiB", "kms_key": KEY}
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurmdbd-AbCdEf"
DATABASE = {"accounting": {"database": {"host": "db.example.org", "password_secret": SECRET}}}


def test_further_keys_are_looked_at_too():
    assert paths("HPC-IAM-003", iam={"kms_keys": [KEY, "alias/hpc"]}) == ["iam.kms_keys[1]"]
    far = KEY.replace("us-east-2", "eu-west-1")
    assert paths("HPC-IAM-004", iam={"kms_keys": [far]}) == ["iam.kms_keys[0]"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"queues": [queue(image="ami-0123456789abcdef0")]}, ["queues[0].image"]),
        ({"login_nodes": {"machine": "m7i.large", "image": "ami-0123456789abcdef0"}}, ["login_nodes.image"]),
        ({"slurm": DATABASE}, ["slurm.accounting.database.password_secret"]),
        ({"slurm": DATABASE, "queues": [queue(image="ami-0123456789abcdef0")]}, ["queues[0].image"]),
        ({"slurm": DATABASE, "iam": {"kms_keys": [KEY]}}, []),
        ({"slurm": DATABASE, "iam": {"kms_keys": []}}, ["slurm.accounting.database.password_secret"]),
        ({"head_node": {"machine": "c6i.xlarge", "image": "ami-0123456789abcdef0"}}, []),
        ({"queues": [queue(root=DISK)]}, []),
    ],
    ids=["queue's image", "login image", "secret", "one finding", "named", "none", "head's image", "key in sight"],
)
def test_images_whose_key_cannot_be_seen_are_found(changes, found):
    """Whoever runs Pulumi launches the head node, so the cluster's roles need no permissions for its image."""
    assert paths("HPC-IAM-007", **changes) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"queues": [queue(root=DISK, purchase="spot")]}, ["queues[0].root.kms_key"]),
        ({"queues": [queue(purchase="spot")], "iam": {"kms_keys": [KEY]}}, ["iam.kms_keys[0]"]),
        ({"queues": [queue(root=DISK)]}, []),
        ({"queues": [queue(root=DISK), queue(name="s", purchase="spot")]}, []),
        ({"queues": [queue(purchase="spot")]}, []),
    ],
)
def test_spot_machines_under_an_encryption_key_are_found(changes, found):
    assert paths("HPC-IAM-008", **changes) == found


def test_what_spot_needs_can_be_typed():
    (problem,) = problems("HPC-IAM-008", queues=[queue(root=DISK, purchase="spot")])
    command = problem.remedy.partition(": ")[2]
    assert command.startswith(f"aws kms create-grant --region us-east-2 --key-id {KEY} --grantee-principal ")
    role = "arn:aws:iam::123456789012:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
    assert f" {role} --operations " in command


ROLE = "arn:aws:iam::123456789012:role/hpc/node"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"instance_profile": "node"}, ["queues[0].instance_profile"]),
        ({"instance_profile": "node", "instance_role": ROLE}, []),
        ({}, []),
    ],
)
def test_a_profile_without_its_role_is_found(changes, found):
    assert paths("HPC-IAM-009", queues=[queue(**changes)]) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"instance_role": ROLE}, ["queues[0].instance_role"]),
        ({"instance_profile": "node", "instance_role": "node"}, ["queues[0].instance_role"]),
        (
            {"instance_profile": "node", "instance_role": ROLE.replace(":role/", ":instance-profile/")},
            ["queues[0].instance_role"],
        ),
        ({"instance_profile": "node", "instance_role": ROLE}, []),
    ],
)
def test_a_wrong_role_of_a_profile_is_found(changes, found):
    assert paths("HPC-IAM-010", queues=[queue(**changes)]) == found
