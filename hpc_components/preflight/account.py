"""Defines what `hpc preflight` needs from a cloud.

An account has only methods that read. Each method raises `NotPermittedError` if the caller lacks a permission and
`NotAnsweredError` if the cloud can't be reached; both lead to a check that is reported as left out, never to one that
passes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from hpc_components.errors import HpcError
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Path

if TYPE_CHECKING:
    from hpc_components.preflight.asked import Asked


class NoAccountError(HpcError):
    """Raised if nothing can be asked, e.g. without credentials or without the cloud's library. The message names the
    remedy.
    """


class NotPermittedError(HpcError):
    """Raised if the caller may not read what a check needs. `permission` is the missing permission."""

    def __init__(self, permission: str) -> None:
        super().__init__(f"needs {permission}")
        self.permission = permission


class NotAnsweredError(HpcError):
    """Raised if the cloud did not answer, or answered with an error. The message is the reason."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that must be true of a thing that exists, e.g. a subnet's zone."""

    name: str
    """Name in messages, and key in `Seen.facts`."""
    wanted: Any
    """The required value, a collection of accepted values, or a minimum number."""
    fault: AccountFault
    remedy: str
    level: Level | None = None
    """Level to use instead of the fault's own level."""

    def holds(self, seen: Any) -> bool:
        """Return whether a value of the cloud, or one of several, satisfies this. Case makes no difference."""
        if isinstance(self.wanted, int):
            return seen >= self.wanted
        return not _words(self.wanted).isdisjoint(_words(seen))

    @property
    def in_words(self) -> str:
        if isinstance(self.wanted, int):
            return f"at least {self.wanted:,}"
        return self.wanted if isinstance(self.wanted, str) else " or ".join(map(str, self.wanted))


def _words(value: Any) -> set[str]:
    return {value.lower()} if isinstance(value, str) else {str(each).lower() for each in value}


@dataclass(frozen=True, kw_only=True)
class Named:
    """Something that the description names and that must already exist."""

    path: Path
    kind: str
    """What it is, in the words of messages, e.g. `key pair`. The cloud's account knows how to look it up."""
    id: str
    fault: AccountFault
    """The fault if it is missing or can't be used."""
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the cloud says about something that exists. Facts that it doesn't state are left out."""

    problem: str = ""
    """Why it can't be used, e.g. `its state is failed`. Empty if it can."""
    level: Level | None = None
    """Level of `problem`, if it is not that of the fault."""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class QuotaSeen:
    """The account's limit, and how much of it is in use, or None if the cloud doesn't say."""

    limit: float
    used: float | None = None


@dataclass(frozen=True, kw_only=True)
class NewName:
    """The name of something that the plan creates under a fixed name."""

    path: Path
    kind: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Something that the plan does and that a policy of the account's organization may forbid."""

    path: Path
    policy: str
    """The policy, or a group of policies that are asked together, in the cloud's own words."""
    value: Any
    """What the cloud is asked about. The cloud's account knows what it is."""
    words: str
    """The same in words, e.g. `a public address`."""
    remedy: str = ""
    """What to change in the description, if anything helps."""


@dataclass(frozen=True, kw_only=True)
class Forbidden:
    """A policy that forbids a demand."""

    by: str
    """The policy, in words."""
    certain: bool = True
    """Whether it surely does. It may depend on what the cloud was not asked about."""


Owner = Literal["caller", "other", "unknown"]
"""Who has what already exists under the name of something new."""


class Account(Protocol):
    """An account of a cloud, seen with the user's own credentials. No method changes anything."""

    @property
    def who(self) -> str:
        """The account and the caller, in words."""
        ...

    def problem(self) -> str:
        """Return why the account can't create anything, or an empty string."""
        ...

    def closed(self, region: str, zones: Collection[str]) -> Mapping[str, str]:
        """Return why the account can't use a place, for each of `region` and `zones` that it can't use."""
        ...

    def offers(self, machine: str) -> Mapping[str, str]:
        """Return the region's zones that sell a machine type, each with a restriction of this account, or an empty
        string without one. A region without zones is its own zone.
        """
        ...

    def quota(self, need: Mapping[str, Any]) -> QuotaSeen | None:
        """Return the account's quota for an entry of `Plan.quota`, or None if the cloud doesn't list it."""
        ...

    def look_up(self, kind: str, id: str) -> Seen | None:
        """Return what the cloud says about something that exists, or None if it doesn't exist."""
        ...

    def owner(self, kind: str, name: str) -> Owner | None:
        """Return who has something of this kind and name, or None if the name is free."""
        ...

    def disabled(self, services: Collection[str]) -> Collection[str]:
        """Return the services that are not enabled."""
        ...

    def refused(self, actions: Collection[str]) -> Mapping[str, bool]:
        """Return the actions that the caller may not perform, each with whether that is certain.

        It is not certain if a permission may be limited to resources or conditions that the cloud was not asked
        about.
        """
        ...

    def forbidden(self, demand: Demand) -> Forbidden | None:
        """Return the policy of the organization that forbids a demand, or None if none does."""
        ...


@dataclass(frozen=True, kw_only=True)
class Action:
    """An action that `pulumi up` performs for the resources of a type."""

    name: str
    type: str
    """The resource's type."""
    key: str = ""
    """Top-level key of the description to which the resource belongs, or empty."""


class AccountPart(Protocol):
    """What a cloud contributes to `hpc preflight`. Only `connect` and the account's methods use the network."""

    @property
    def sources(self) -> Mapping[str, str]:
        """Maps each read to the documentation of the calls that it makes, for facts that are kept."""
        ...

    @property
    def permissions(self) -> Mapping[str, Sequence[str]]:
        """Maps each read to the permissions that it needs.

        Reads are named after the methods of `Account` or, for `look_up` and `owner`, after the kind.
        """
        ...

    def connect(self, asked: "Asked") -> Account:
        """Return the account that the stack uses. Raise NoAccountError without one."""
        ...

    def named(self, asked: "Asked") -> Iterable[Named]:
        """Return what the description names and must exist."""
        ...

    def new_names(self, asked: "Asked") -> Iterable[NewName]:
        """Return the fixed names of what the plan creates."""
        ...

    def services(self, asked: "Asked") -> Mapping[str, str]:
        """Return the services that the plan needs and doesn't enable, each with a resource type that needs it."""
        ...

    def demands(self, asked: "Asked") -> Iterable[Demand]:
        """Return what the plan does and an organization may forbid."""
        ...

    def actions(self, asked: "Asked") -> Iterable[Action]:
        """Return the actions that creating the plan's resources needs."""
        ...

    def enable_command(self, service: str) -> str:
        """Return the command that enables a service."""
        ...

    def policy(self) -> str:
        """Return a ready policy that permits exactly what preflight reads, in the cloud's own notation."""
        ...
