import datetime

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.people.files import described_document
from hpc_components.people.node.document import Document, Group, Person, parse, write
from hpc_components.spec.people import People

from .samples import KEY

NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,31}", fullmatch=True)
IDS = st.integers(2000, 60000)
PEOPLE = st.dictionaries(
    NAMES,
    st.builds(
        Person,
        uid=IDS,
        full_name=st.text(max_size=20),
        keys=st.lists(st.text(min_size=1, max_size=40), max_size=2).map(tuple),
        expires=st.none() | st.dates(datetime.date(1980, 1, 1)),
    ),
    max_size=4,
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    people = draw(PEOPLE)
    members = st.lists(st.sampled_from(sorted(people)), unique=True).map(tuple) if people else st.just(())
    groups = draw(st.dictionaries(NAMES, st.builds(Group, gid=IDS, members=members), max_size=3))
    former = draw(st.dictionaries(IDS, NAMES, max_size=3))
    return Document(people, groups, former, draw(st.sampled_from(("cancel", "hold"))))


@given(documents())
def test_a_document_is_read_as_it_was_written(document: Document) -> None:
    assert parse(write(document)) == document


def test_a_node_reads_the_people_of_a_description() -> None:
    described = People.model_validate(
        {
            "users": {
                "ada": {
                    "uid": 2001,
                    "full_name": "Ada Lovelace",
                    "keys": [f" {KEY}\n"],
                    "groups": ["cfd"],
                    "admin": True,
                },
                "bob": {"uid": 2002, "expires": "2027-09-30", "groups": ["cfd", "gpu"]},
                "eve": {"uid": 2003},
            },
            "groups": {"cfd": {"gid": 3001}, "gpu": {"gid": 3002}},
            "admit": ["cfd"],
            "waiting_jobs": "hold",
        }
    )
    assert parse(write(described_document(described, {}))) == Document(
        {
            "ada": Person(2001, "Ada Lovelace", (KEY,)),
            "bob": Person(2002, expires=datetime.date(2027, 9, 30)),
        },
        {
            "cfd": Group(3001, ("ada", "bob")),
            "gpu": Group(3002, ("bob",)),
            "hpc-admins": Group(1999, ("ada",)),
        },
        {},
        "hold",
    )
