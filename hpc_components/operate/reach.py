"""Command lines of `ssh` and `scp` that reach a cluster's nodes, made from the outputs of its stack.

There are three ways to the head node: its public address, the cloud's tunnel, and the login nodes, from which it is
one more hop. Compute nodes are always one hop from the head node: `ssh` on the head node knows their host keys by the
cluster's certificates and logs in with its own certificate, so a laptop needs neither host keys nor a key there.

Outputs are refused unless all that becomes part of a command line is plain: a host that begins with `-` would be an
option of ssh.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.operate.ways import Program, ReachError, Tunnel
from hpc_components.wording import any_of

HEAD = "head"
LOGIN = "login"

Way = Literal["public", "tunnel", "login"]
WAYS: tuple[Way, ...] = ("public", "tunnel", "login")
"""Ways to the head node, in the order in which they are tried."""

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")

_SSH = Program(
    name="ssh", remedy="is OpenSSH's client: apt-get install openssh-client, or dnf install openssh-clients"
)
_SCP = Program(name="scp", remedy="belongs to OpenSSH's client: apt-get install openssh-client")

_ALIVE = ("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3")
"""A connection that gets no answer is lost after 45 s. Source: ssh_config(5)."""

_CONNECT_SECONDS = 30

_PROXY_SECONDS = 120
"""The same behind a proxy: a tunnel's program first logs in to the cloud, and ssh counts until sshd's greeting."""


@dataclass(frozen=True, kw_only=True)
class _Door:
    """A host that ssh connects to from this machine, and how."""

    host: str
    alias: str
    proxy: Sequence[str] = ()
    programs: Sequence[Program] = ()


class Reach:
    """How to run commands on a cluster's nodes, and how to copy files.

    Args:
        outputs: the stack's outputs, as `pulumi stack output --json` prints them.
        user: the account on the nodes; by default the first user of the image.
        via: the way to the head node; by default the first of `WAYS` that the cluster has.

    Raises:
        ReachError: The outputs lack what is needed, or the cluster does not have that way.
    """

    def __init__(self, outputs: Mapping[str, Any], *, user: str | None = None, via: Way | None = None) -> None:
        access, head = outputs.get("access"), outputs.get("head_node")
        if not isinstance(access, Mapping) or not isinstance(head, Mapping):
            raise ReachError(
                "the stack has no outputs `access` and `head_node`; run `pulumi up` with this release, or export the"
                " `outputs` of its Cluster"
            )
        self.cluster = checked_name(access.get("cluster"), "access.cluster")
        self.user = self._checked_user(user, access)
        self._login = checked_name(outputs["login"], "login") if outputs.get("login") else None
        self._public = checked_name(head["public_ip"], "head_node.public_ip") if head.get("public_ip") else None
        self._inner = checked_name(head.get("private_ip"), "head_node.private_ip")
        self.tunnel = _tunnel(access, head)
        self.outputs = access, head
        self.way = self._chosen(via)

    def _checked_user(self, user: str | None, access: Mapping[str, Any]) -> str:
        named = user or access.get("user")
        if not named:
            raise ReachError("accounts on the nodes come from the cloud's own directory; name yours with --user")
        return checked_name(named, "--user" if user else "access.user")

    def _chosen(self, via: Way | None) -> Way:
        there = dict(zip(WAYS, (self._public, self.tunnel, self._login), strict=True))
        ways = [way for way in WAYS if there[way]]
        if via and via not in ways:
            raise ReachError(f"cluster {self.cluster} has no way {via}; use --via {any_of(ways) or '(none)'}")
        if not ways:
            raise ReachError(
                f"cluster {self.cluster} has no way in: its head node has no public address, and it has neither a"
                " tunnel nor login nodes"
            )
        return via or ways[0]

    @property
    def has_login(self) -> bool:
        """Whether the cluster has login nodes."""
        return self._login is not None

    def title(self) -> str:
        """Return the way to the head node in words."""
        if self.way == "tunnel" and self.tunnel:
            return self.tunnel.title
        return "its public address" if self.way == "public" else "the login nodes"

    def ssh(self, node: str = HEAD, command: Sequence[str] = (), *, terminal: bool = False) -> list[str]:
        """Return the command line that opens a session on a node, or runs `command` there.

        The arguments reach the command as they are, like those of a local program: no shell on the way splits or
        expands them. `terminal` allocates one for the command; a session without a command always has one.
        """
        door = self._door(node)
        interactive = terminal or not command
        there = self._beyond(node, command, terminal=interactive)
        wants = ["-T"] if not interactive else ["-t"] if there else []  # ssh's own default, whatever its settings say
        return ["ssh", *self._options(door), *wants, f"{self.user}@{door.host}", *(["--", there] if there else [])]

    def scp(
        self, source: str, destination: str, *, to_node: bool, node: str = HEAD, recursive: bool = False
    ) -> list[str]:
        """Return the command line that copies to a node, or from it. The path on the node follows scp's rules."""
        if node not in (HEAD, LOGIN):
            raise ReachError(
                f"files are copied to and from {HEAD} and {LOGIN} only; {node} reads the same shared file systems"
            )
        door = self._door(node)
        remote = f"{self.user}@{f'[{door.host}]' if ':' in door.host else door.host}:"
        ends = (source, remote + destination) if to_node else (remote + source, destination)
        return ["scp", *(["-r"] if recursive else []), *self._options(door), "--", *ends]

    def programs(self, node: str = HEAD, *, copies: bool = False) -> list[Program]:
        """Return the programs that the command lines run on this machine."""
        return [_SSH, *([_SCP] if copies else []), *self._door(node).programs]

    def console(self) -> Sequence[Sequence[str]]:
        """Return the commands of the cloud's own tools that show the head node's machine and its console."""
        access, head = self.outputs
        return cloud_named(access["cloud"]).parts.reach.console(access, head)

    def _door(self, node: str) -> _Door:
        checked_name(node, "NODE")
        if node == LOGIN:
            if self._login is None:
                raise ReachError(f"cluster {self.cluster} has no login nodes; use {HEAD}")
            return _Door(host=self._login, alias=f"{self.cluster}-{LOGIN}")
        alias = f"{self.cluster}-{HEAD}"
        if self.way == "public" and self._public:
            return _Door(host=self._public, alias=alias)
        if self.way == "tunnel" and self.tunnel:
            return _Door(host=alias, alias=alias, proxy=_stdio_command(self.tunnel), programs=self.tunnel.programs)
        outer = self._door(LOGIN)
        proxy = ("ssh", *self._options(outer), "-W", f"{self._inner}:22", f"{self.user}@{outer.host}")
        return _Door(host=alias, alias=alias, proxy=proxy)

    def _options(self, door: _Door) -> list[str]:
        # ssh replaces %h and the like in a proxy's command, and its shell splits it
        proxy = ["-o", f"ProxyCommand={shlex.join(door.proxy).replace('%', '%%')}"] if door.proxy else []
        timeout = _PROXY_SECONDS if proxy else _CONNECT_SECONDS
        return ["-o", f"ConnectTimeout={timeout}", *_ALIVE, "-o", f"HostKeyAlias={door.alias}", *proxy]

    def _beyond(self, node: str, command: Sequence[str], *, terminal: bool) -> str:
        """Return what the shell of the host runs to which ssh connects."""
        if node in (HEAD, LOGIN):
            return shlex.join(command)
        wants = ["-t"] if terminal else []
        patience = f"ConnectTimeout={_CONNECT_SECONDS}"
        hop = ["ssh", *wants, "-o", "BatchMode=yes", "-o", patience, *_ALIVE, node]
        return shlex.join([*hop, *(["--", shlex.join(command)] if command else [])])


def missing_programs(programs: Sequence[Program]) -> list[Program]:
    """Return those that are not on this machine's PATH."""
    return [each for each in programs if shutil.which(each.name) is None]


def what_is_missing(programs: Sequence[Program]) -> str:
    """Return which of the programs are not on PATH and how to get them, or an empty string."""
    return "; ".join(f"{each.name} is not on PATH; it {each.remedy}" for each in missing_programs(programs))


def checked_name(value: object, what: str) -> str:
    """Return a name or an address that may become part of a command line. Raise ReachError for anything else."""
    if not isinstance(value, str) or not _PLAIN.fullmatch(value):
        raise ReachError(f"{what} is {value!r}, but must be a name or an address of letters, digits, . _ : and -")
    return value


def _tunnel(access: Mapping[str, Any], head: Mapping[str, Any]) -> Tunnel | None:
    cloud = access.get("cloud")
    if not isinstance(cloud, str) or cloud not in CLOUDS:
        raise ReachError(f"the output `access` is of cloud {cloud!r}, which this release does not know")
    try:
        return cloud_named(cloud).parts.reach.tunnel(access, head)
    except (KeyError, TypeError, ValueError) as error:
        raise ReachError(f"the stack's outputs `access` and `head_node` are incomplete: {error}") from None


def _stdio_command(tunnel: Tunnel) -> Sequence[str]:
    if not tunnel.listens:
        return tunnel.command
    return (sys.executable, "-m", "hpc_components.operate.port_tunnel", *tunnel.command)
