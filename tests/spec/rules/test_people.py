import pytest

from hpc_components.spec.people import People

from ..described import findings, judged, told

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
ADA = f"ada: {{uid: 2001, keys: [{KEY}]}}"


def people(users: str, rest: str = "") -> str:
    return f"people: {{users: {{{users}}}{rest}}}"


def test_a_right_description_of_people_has_no_finding_about_them() -> None:
    text = people(f"{ADA}, bob: {{uid: 2002, keys: [{KEY}], groups: [cfd]}}", ", groups: {cfd: {gid: 3001}}")
    assert not [each for each in judged(text).findings if each.id.startswith("HPC-PPL")]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("Ada", "beginning with a letter, e.g. ada"),
        ("ada.lovelace", "beginning with a letter, e.g. ada-lovelace"),
        ("2ada", "beginning with a letter, e.g. ada"),
        ("a" * 33, f"beginning with a letter, e.g. {'a' * 32}"),
        ("slurm", "use another name"),
        ("set", "use another name"),
        ("hpc-admins", "remove it, and write admin: true for administrators"),
    ],
)
def test_a_name_that_nodes_can_t_have_is_refused(name: str, remedy: str) -> None:
    assert told(people(f"{name}: {{uid: 2001, keys: [{KEY}]}}"))[1].endswith(remedy)


@pytest.mark.parametrize("uid", [2000, 60000, 65536, 524287])
def test_ids_at_the_edges_of_the_ranges_are_accepted(uid: int) -> None:
    assert findings(people(f"ada: {{uid: {uid}, keys: [{KEY}]}}")) == []


@pytest.mark.parametrize("uid", [0, 1000, 1999, 60001, 64030, 65534, 65535, 524288, -5])
def test_ids_of_systems_and_containers_are_refused(uid: int) -> None:
    errors = {each[:2] for each in findings(people(f"ada: {{uid: {uid}, keys: [{KEY}]}}"))}
    assert ("HPC-PPL-002", "people.users.ada.uid") in errors


def test_the_next_free_id_is_proposed() -> None:
    text = people(f"{ADA}, bob: {{uid: 2007, keys: [{KEY}]}}, cleo: {{uid: 2001, keys: [{KEY}]}}")
    (error,) = judged(text).errors
    assert (error.path, error.remedy) == ("people.users.cleo.uid", "use 2008")


def test_administrators_are_admitted_without_the_group() -> None:
    described = People.model_validate(
        {
            "users": {"ada": {"uid": 2001, "admin": True}, "bob": {"uid": 2002}},
            "groups": {"cfd": {"gid": 3001}},
            "admit": ["cfd"],
        }
    )
    assert set(described.admitted) == {"ada"}


def test_an_account_of_a_person_has_the_person_as_its_user() -> None:
    slurm = "slurm: {accounting: {accounts: {cfd: {}, nlp: {users: [bob]}}}}\n"
    text = slurm + people(
        f"ada: {{uid: 2001, keys: [{KEY}], account: cfd}}, bob: {{uid: 2002, keys: [{KEY}], account: cfd}}"
    )
    judgement = judged(text)
    assert judgement.cluster
    accounting = judgement.cluster.accounting
    assert accounting
    assert accounting.accounts["cfd"].users == ("ada", "bob")
    assert accounting.accounts["nlp"].users == ("bob",)
    assert accounting.default_accounts == {"ada": "cfd", "bob": "cfd"}
    assert not [each for each in judgement.findings if each.id in ("HPC-ACC-007", "HPC-PPL-008")]


def test_two_default_accounts_of_a_person_are_refused() -> None:
    slurm = "slurm: {accounting: {accounts: {cfd: {}, nlp: {users: [ada], default_for: [ada]}}}}\n"
    errors = findings(slurm + people(f"ada: {{uid: 2001, keys: [{KEY}], account: cfd}}"))
    assert [each[0] for each in errors] == ["HPC-ACC-012"]
