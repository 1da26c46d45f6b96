import datetime
import subprocess

import pytest
from hypothesis import given

from hpc_components.people.node.document import Document, Person
from hpc_components.people.node.tables import MAX_NAME_LENGTH, former_name, ids_in, tables

from .samples import document
from .test_document import documents


def test_tables_are_those_of_passwd_group_and_shadow() -> None:
    made = tables(
        document(
            {2009: "zoe"},
            ada=Person(2001, "Ada, Countess: Lovelace\n"),
            bob=Person(2002, expires=datetime.date(1970, 1, 2)),
        )
    )
    assert made.passwd == (
        "ada:x:2001:2001:Ada Countess Lovelace:/home/ada:/bin/bash\n"
        "bob:x:2002:2002::/home/bob:/bin/bash\n"
        "former-zoe:x:2009:2009::/nonexistent:/usr/sbin/nologin\n"
    )
    assert made.group == "cfd:x:3001:ada,bob\nada:x:2001:\nbob:x:2002:\nformer-zoe:x:2009:\n"
    assert made.shadow == "ada:*:::::::\nbob:*::::::2:\nformer-zoe:!::::::1:\n"


def test_passwd_has_a_star_without_a_shadow_table() -> None:
    made = tables(document({2009: "zoe"}, ada=Person(2001), bob=Person(2002)), shadow=False)
    assert made.passwd == (
        "ada:*:2001:2001::/home/ada:/bin/bash\n"
        "bob:*:2002:2002::/home/bob:/bin/bash\n"
        "former-zoe:*:2009:2009::/nonexistent:/usr/sbin/nologin\n"
    )


@given(documents())
def test_every_line_has_the_fields_of_its_table(described: Document) -> None:
    made = tables(described)
    for text, fields in ((made.passwd, 7), (made.group, 4), (made.shadow, 9)):
        assert all(line.count(":") == fields - 1 and line.isprintable() for line in text.split("\n")[:-1])
    expected = {name: one.uid for name, one in described.people.items()}
    assert ids_in(made.passwd).items() >= expected.items() or set(expected) & {
        former_name(id, name) for id, name in described.former.items()
    }


@pytest.mark.parametrize("name", ["a" * 25, "a" * 26, "a" * 32])
def test_a_former_name_is_no_longer_than_names_may_be(name: str) -> None:
    assert former_name(2001, name) in (f"former-{name}", "former-2001")
    assert len(former_name(2001, name)) <= MAX_NAME_LENGTH


def test_shadow_counts_a_last_day_as_the_system_does() -> None:
    """`chage` prints the day in the table, which is the first on which the account is expired."""
    (_, _, _, _, _, _, _, end, _) = (
        tables(document(ada=Person(2001, expires=datetime.date(2027, 9, 30)))).shadow.strip().split(":")
    )
    shown = subprocess.run(
        ["date", "-u", "-d", f"@{int(end) * 86400}", "+%F"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "2027-10-01"
