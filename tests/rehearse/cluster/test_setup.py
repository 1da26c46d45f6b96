"""What a rehearsal starts from follows from the description and the generated files."""

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

import pytest

from hpc_components.people.node.document import Person
from hpc_components.rehearse.cluster.setup import DEVICE_MAJOR
from hpc_components.rehearse.cluster.software import adapted_software
from hpc_components.spec.source import UnreadableError
from tests.rehearse.setups import changed, setup_of


def test_addresses_are_those_of_the_real_cluster():
    setup = setup_of("aws-cfd")
    assert setup.network == IPv4Network("10.20.0.0/16")
    assert setup.head == IPv4Address("10.20.8.20")
    assert f"SlurmctldHost=head({setup.head})" in setup.files["slurm.conf"]
    first, second = islice(setup.addresses("use2-az2"), 2)
    assert (first, second) == (IPv4Address("10.20.64.64"), IPv4Address("10.20.64.65"))


def test_addresses_are_those_of_an_existing_network():
    existing = {
        "vpc": "vpc-0123456789abcdef0",
        "cidr": "172.31.0.0/16",
        "private": {"use2-az2": {"id": "subnet-0123456789abcdef0", "cidr": "172.31.16.0/20"}},
        "public": {"use2-az2": {"id": "subnet-0123456789abcdef1", "cidr": "172.31.0.0/20"}},
    }
    setup = setup_of(changed("aws-cfd", network={"existing": existing}))
    assert setup.network == IPv4Network("172.31.0.0/16")
    assert setup.head == IPv4Address("172.31.0.20")
    assert next(setup.addresses("use2-az2")) == IPv4Address("172.31.16.64")


def test_nodes_have_what_the_generated_files_say():
    cfd, university = setup_of("aws-cfd"), setup_of("aws-university")
    assert (cfd.cpus("compute-queue"), cfd.gpus("compute-queue")) == (96, 0)
    assert cfd.devices("compute-queue") == (("/dev/infiniband/uverbs0", DEVICE_MAJOR, 0),)
    assert cfd.devices("spot") == ()
    assert (university.cpus("nlp"), university.gpus("nlp")) == (192, 8)
    gpus = tuple((f"/dev/nvidia{n}", DEVICE_MAJOR, n) for n in range(8))
    assert university.devices("nlp")[:8] == gpus
    assert {path for path, _, _ in university.devices("nlp")[8:]} == {
        f"/dev/infiniband/uverbs{n}" for n in range(len(university.devices("nlp")) - 8)
    }
    assert university.devices("cpu") == ()


def test_users_log_in_on_login_nodes_if_there_are_any():
    assert setup_of("aws-cfd").login == "head"
    assert setup_of("aws-university").login == "login-10-60-64-64"


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("nlp", ("alice", "")),
        ("computer-vision", ("carol", "")),
        ("deep-learning", ("dave", "")),
        ("cpu", ("carol", "")),
    ],
)
def test_the_submitter_is_one_who_may_submit(queue, expected):
    setup = setup_of("aws-university")
    assert setup.submitter(setup.cluster.queue(queue)) == expected


def test_an_account_that_is_not_the_users_default_is_named():
    accounting = {"accounts": {"nlp": {"users": ["alice"]}, "vision": {"users": ["alice"]}}}
    cluster = changed("aws-university", slurm={"accounting": accounting})
    queue = cluster.queues[0].model_copy(update={"slurm": {"AllowAccounts": "vision"}})
    assert setup_of(cluster).submitter(queue) == ("alice", "vision")


def test_without_accounts_one_user_stands_for_all():
    setup = setup_of("aws-cfd")
    assert dict(setup.people.people) == {"alice": Person(12000)}
    assert setup.submitter(setup.cluster.queues[0]) == ("alice", "")


def test_people_have_their_ids_and_groups():
    people = setup_of("aws-university").people
    assert {name: one.uid for name, one in people.people.items()} == {
        "carol": 2003, "alice": 2001, "dave": 2004, "erin": 2005, "bob": 2002,
    }  # fmt: skip
    assert {name: (one.gid, one.members) for name, one in people.groups.items() if one.members} == {
        "nlp": (3001, ("alice", "bob")),
        "vision": (3002, ("alice", "carol")),
        "learning": (3003, ("dave",)),
        "hpc-admins": (1999, ("erin",)),
    }


def test_expired_people_are_not_chosen_to_submit_a_job():
    users = {"ada": {"uid": 12000, "expires": "2026-01-01"}, "bob": {"uid": 2002}}
    accounting = {"accounts": {"cfd": {"users": ["ada", "guest", "bob"]}}}
    setup = setup_of(changed("aws-cfd", people={"users": users}, slurm={"accounting": accounting}))
    assert {name: one.uid for name, one in setup.people.people.items()} == {"guest": 12001, "bob": 2002}
    assert setup.submitter(setup.cluster.queues[0]) == ("guest", "")


def test_without_anyone_who_may_work_no_job_is_rehearsed():
    setup = setup_of(changed("aws-cfd", people={"users": {"ada": {"uid": 2001, "expires": "2026-01-01"}}}))
    with pytest.raises(UnreadableError, match="all users of cfd have expired"):
        setup.submitter(setup.cluster.queues[0])


def test_containers_that_a_rehearsal_can_not_build_are_listed():
    _, changes = adapted_software(changed("aws-dev", software={"pyxis": True}))
    (change,) = changes
    assert (change.file, change.after) == ("common/pyxis.env", "")
    assert "--container-image" in change.why
