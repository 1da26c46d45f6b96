"""Entries of a directory, and the attributes in which they keep what a cluster needs."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from hpc_components.people.node.directory_settings import Settings

FIRST_ID_OF_DOMAIN = 200_000
"""Added to the last number of a security identifier, as sssd does for the domain of `ldap_idmap_default_domain_sid`.
Source: sssd-ldap(5), ID MAPPING: ldap_idmap_range_min."""

IDS_OF_DOMAIN = 200_000
"""Source: sssd-ldap(5), ID MAPPING: ldap_idmap_range_size."""

_DAYS_FROM = {"shadowExpire": datetime.date(1970, 1, 1), "accountExpires": datetime.date(1601, 1, 1)}

_TICKS_PER_DAY = {"shadowExpire": 1, "accountExpires": 24 * 3600 * 10**7}
"""Source: shadow(5); Microsoft, "Account-Expires attribute"."""


@dataclass(frozen=True)
class Entry:
    """An entry of a directory."""

    dn: str
    """Its name, in lower case."""
    values: Mapping[str, tuple[bytes, ...]]
    """Values, keyed by attribute in lower case."""

    @classmethod
    def of(cls, dn: str, values: Mapping[str, Iterable[bytes]]) -> Self:
        return cls(dn.lower(), {name.lower(): tuple(each) for name, each in values.items()})

    def texts(self, attribute: str) -> tuple[str, ...]:
        return tuple(each.decode(errors="replace") for each in self.values.get(attribute.lower(), ()))

    def text(self, attribute: str) -> str:
        return next(iter(self.texts(attribute)), "")

    def number(self, attribute: str) -> int | None:
        text = self.text(attribute)
        return int(text) if text.isascii() and text.isdecimal() else None


@dataclass(frozen=True)
class Schema:
    """Filters and attributes of people and groups. Empty for an attribute that a schema does not have."""

    people: str = "(objectClass=posixAccount)"
    groups: str = "(objectClass=posixGroup)"
    name: str = "uid"
    uid: str = "uidNumber"
    gid: str = "gidNumber"
    """Id of someone's primary group. Without it, everyone has an own group."""
    full_name: str = "cn"
    expires: str = "shadowExpire"
    groups_of_person: str = ""
    group_name: str = "cn"
    group_id: str = "gidNumber"
    members: str = "memberUid"
    """Login names or DNs of a group's members."""
    domain_sid: str = ""

    def id_of(self, entry: Entry, attribute: str) -> int | None:
        """Return the id in an attribute; None without one, or if it belongs to another domain."""
        if attribute == "objectSid":
            domain, _, last = sid_of(next(iter(entry.values.get("objectsid", ())), b"")).rpartition("-")
            within = domain == self.domain_sid and int(last) < IDS_OF_DOMAIN
            return FIRST_ID_OF_DOMAIN + int(last) if within else None
        return entry.number(attribute)

    def last_day(self, entry: Entry) -> datetime.date | None:
        """Return the last day of a person; None without an end."""
        end = entry.number(self.expires)
        if not end:
            return None
        try:
            return _DAYS_FROM[self.expires] + datetime.timedelta(days=(end - 1) // _TICKS_PER_DAY[self.expires])
        except OverflowError:  # Active Directory's greatest number means never
            return None

    @property
    def attributes_of_people(self) -> tuple[str, ...]:
        named = (self.name, self.uid, self.gid, self.full_name, self.expires, self.groups_of_person)
        return tuple(each for each in named if each)

    @property
    def attributes_of_groups(self) -> tuple[str, ...]:
        return tuple(each for each in (self.group_name, self.group_id, self.members) if each)


_RFC2307 = Schema()
"""Source: RFC 2307."""

_ACTIVE_DIRECTORY = Schema(
    # people, not computers; bit 2 is that of a disabled account. Source: Microsoft, "User-Account-Control attribute"
    people="(objectCategory=person)(objectClass=user)(!(userAccountControl:1.2.840.113556.1.4.803:=2))",
    groups="(objectClass=group)",
    name="sAMAccountName",
    full_name="displayName",
    expires="accountExpires",
    # a group's own list ends after 1,500 members. Source: Microsoft, "View and set LDAP policy", MaxValRange
    groups_of_person="memberOf",
    group_name="sAMAccountName",
    members="",
)


def schema_of(settings: Settings) -> Schema:
    """Return where the directory keeps what. Raise KeyError if the name of its schema is unknown."""
    known = {
        "rfc2307": _RFC2307,
        "rfc2307bis": replace(_RFC2307, members="member"),
        "active_directory": _ACTIVE_DIRECTORY,
    }
    schema = known[settings.attributes]
    if settings.domain_sid:
        return replace(schema, uid="objectSid", gid="", group_id="objectSid", domain_sid=settings.domain_sid)
    return schema


def sid_of(value: bytes) -> str:
    """Return a security identifier in its usual form, such as `S-1-5-21-1004336348-1177238915-682003330-512`; empty
    for another value.

    Source: Microsoft, [MS-DTYP] 2.4.2.2, SID packet representation.
    """
    if len(value) < 12 or len(value) != 8 + 4 * value[1]:
        return ""
    parts = [value[0], int.from_bytes(value[2:8], "big")]
    parts += [int.from_bytes(value[at : at + 4], "little") for at in range(8, len(value), 4)]
    return "-".join(["S", *map(str, parts)])
