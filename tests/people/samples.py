"""People for tests."""

import datetime
from collections.abc import Mapping

from hpc_components.people.node.document import Document, Group, Person

TODAY = datetime.date(2026, 11, 25)
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0vm5Zw7VmJ3Zb3n2xR9bS3xJk1m1yq3nX0o0Jq3x2k ada@example.org"


def document(former: Mapping[int, str] | None = None, **people: Person) -> Document:
    """A document with these people, all of them in the group cfd."""
    return Document(people, {"cfd": Group(3001, tuple(people))}, former or {})
