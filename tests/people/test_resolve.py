import datetime

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.people.node.document import Document, Group, Person
from hpc_components.people.node.resolve import Ids, read_known, resolve, write_known

from .samples import TODAY, document
from .test_document import documents

YESTERDAY = TODAY - datetime.timedelta(days=1)


def test_someone_may_work_until_the_end_of_their_last_day() -> None:
    described = document(ada=Person(2001, expires=TODAY), bob=Person(2002, expires=YESTERDAY))
    published = resolve(described, Ids(), TODAY).published
    assert set(published.people) == {"ada"}
    assert published.groups["cfd"].members == ("ada",)
    assert published.former == {2002: "bob"}


def test_someone_who_is_removed_keeps_the_id() -> None:
    first = resolve(document(ada=Person(2001), bob=Person(2002)), Ids(), TODAY)
    second = resolve(document(ada=Person(2001)), first.known, TODAY)
    assert second.published.former == {2002: "bob"}
    third = resolve(document(ada=Person(2001), cleo=Person(2002)), second.known, TODAY)
    assert set(third.published.people) == {"ada"}
    assert third.published.former == {2002: "bob"}
    assert third.refused == ("user cleo: 2002 is or was the id of user bob, who may own files: choose another uid",)


def test_someone_who_returns_works_again() -> None:
    known = resolve(document(ada=Person(2001), bob=Person(2002)), Ids(), TODAY).known
    known = resolve(document(ada=Person(2001)), known, TODAY).known
    back = resolve(document(ada=Person(2001), bob=Person(2002)), known, TODAY)
    assert set(back.published.people) == {"ada", "bob"}
    assert not back.published.former
    assert not back.refused


def test_the_id_of_a_former_group_is_not_given_again() -> None:
    known = resolve(document(ada=Person(2001)), Ids(), TODAY).known
    again = Document({"bob": Person(3001)}, {"gpu": Group(3001, ("bob",))})
    resolution = resolve(again, known, TODAY)
    assert not resolution.published.people
    assert not resolution.published.groups
    assert resolution.published.former == {2001: "ada"}
    assert [each.partition(":")[0] for each in resolution.refused] == ["user bob", "group gpu"]


def test_a_new_uid_leaves_the_old_one_to_former_files() -> None:
    known = resolve(document(ada=Person(2001)), Ids(), TODAY).known
    moved = resolve(document(ada=Person(2005)), known, TODAY)
    assert moved.published.people == {"ada": Person(2005)}
    assert moved.published.former == {2001: "ada"}


@given(st.lists(documents(), min_size=1, max_size=4), st.dates(datetime.date(2000, 1, 1)))
def test_no_id_ever_has_two_owners(described: list[Document], today: datetime.date) -> None:
    owners: dict[int, str] = {}
    known = Ids()
    for each in described:
        resolution = resolve(each, known, today)
        known = read_known(write_known(resolution.known))
        now = {one.uid: name for name, one in resolution.published.people.items()}
        for id, name in now.items():
            assert owners.setdefault(id, name) == name
        assert not now.keys() & resolution.published.former.keys()
        assert all(owners.get(id, name) == name for id, name in resolution.published.former.items())
        members = {name for group in resolution.published.groups.values() for name in group.members}
        assert members <= resolution.published.people.keys()


def test_a_gid_may_be_a_uid_of_someone_whose_primary_group_is_elsewhere() -> None:
    described = Document({"ada": Person(5000, gid=5001)}, {"cfd": Group(5000, ("ada",)), "staff": Group(5001)})
    first = resolve(described, Ids(), TODAY)
    assert not first.refused
    known = read_known(write_known(first.known))
    assert known == Ids({5000: "ada"}, {5000: "@cfd", 5001: "@staff"})
    refused = resolve(Document({"bob": Person(5001)}), known, TODAY).refused
    assert refused == ("user bob: 5001 is or was the id of group staff, who may own files: choose another uid",)
    assert not resolve(Document({"bob": Person(5001, gid=5000)}), known, TODAY).refused
