"""What this machine can tell if the head node can't be reached: from the messages of ssh and of the tunnel's program.

No cloud is asked; the commands that ask it for the machine's state are printed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.catalog.level import Level
from hpc_components.operate.doctor.cause import Found, Step
from hpc_components.operate.doctor.diagnose import Diagnosis
from hpc_components.operate.reach import HEAD, Reach, missing_programs
from hpc_components.spec.printable import printable


@dataclass(frozen=True, kw_only=True)
class Sign:
    """A message of ssh, and what it means. Source of the messages: OpenSSH, ssh.c, sshconnect.c, sshconnect2.c;
    errors of connect(2) in the words of strerror(3).
    """

    id: str
    title: str
    pattern: str
    why: str
    forget_host_key: bool = False
    look_at_machine: bool = False


PROGRAM_MISSING = "program-missing"
"""Id of a missing program, the only cause that is found without ssh."""

SIGNS = (
    Sign(
        id="host-key-changed",
        title="The head node's host key is not the one that ssh remembers",
        pattern="REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed|differs from the key for",
        why="A new head node keeps its host keys, but a new cluster of the same name has others. If the cluster was"
        " not made anew, another machine may be between you and it: don't go on. Else forget the old key",
        forget_host_key=True,
    ),
    Sign(
        id="key-refused",
        title="sshd on the head node refuses your key, or the account",
        pattern="Permission denied|Too many authentication failures|no mutual signature",
        why="The head node is up. Its first user has the key of `key_pair` or `ssh_key`, people have their own:"
        " choose the key by `IdentityFile` in ~/.ssh/config or by ssh-add, and the account by --user",
    ),
    Sign(
        id="name-unresolved",
        title="The head node's name does not resolve",
        pattern="Could not resolve hostname",
        why="This machine has no name server, or the name is only known in your organization's network: is the VPN"
        " up?",
    ),
    Sign(
        id="network-unreachable",
        title="This machine has no route to the head node",
        pattern="Network is unreachable|No route to host",
        why="This machine is offline, or the head node's address is in a network that needs a VPN",
    ),
    Sign(
        id="connection-refused",
        title="The head node's machine answers, but no sshd",
        pattern="Connection refused",
        why="The machine boots, or sshd there has ended. Its console says which",
        look_at_machine=True,
    ),
    Sign(
        id="no-answer",
        title="The head node does not answer",
        pattern="timed out|Timeout, server .* not responding",
        why="Its machine is stopped or hangs, or nothing admits this machine's address: compare the address that the"
        " internet sees with `network.ssh_from` in the description",
        look_at_machine=True,
    ),
    Sign(
        id="connection-lost",
        title="The connection ended before the answers were complete",
        pattern="Connection (closed|reset)|Broken pipe|kex_exchange_identification",
        why="sshd or the tunnel ended it. If it happens again, the machine may have no memory left",
        look_at_machine=True,
    ),
)
"""The first that fits is the diagnosis."""

OTHER = "head-not-reached"
"""Id of a failure with a message that no sign fits."""

LOGIN_OTHER = "login-not-reached"
"""Id of a connection to the login nodes that fails."""

TITLES = {
    PROGRAM_MISSING: "A program that the way to the head node needs is not on this machine",
    **{sign.id: sign.title for sign in SIGNS},
    "tunnel-login-expired": "The cloud's program is not logged in, or the login has expired",
    "tunnel-not-allowed": "You may not use the cloud's tunnel to the head node",
    "tunnel-machine-away": "The tunnel's service does not reach the head node's machine",
    OTHER: "The head node can't be reached, for another reason",
    LOGIN_OTHER: "The login nodes can't be reached",
}
"""Titles of all diagnoses of this module. Those of tunnels are in `ways.TunnelSign`, which clouds give."""


def why_no_login(said: str) -> Diagnosis:
    """Return the diagnosis for what ssh wrote to standard error if no login node can be reached."""
    return _diagnosis(
        LOGIN_OTHER,
        Found(
            what=f"The login nodes can't be reached: {_last_line(said) or 'ssh says nothing'}",
            why="The load balancer passes connections on to nodes whose sshd answers. A login node admits users once"
            " its first boot is done; if that fails, its boot log is in the cloud. The head node may be well",
            do=(Step(command=("hpc", "doctor", "{stack}"), on="laptop"),),
        ),
    )


def missing(reach: Reach) -> list[Diagnosis]:
    """Return a diagnosis for each program that is missing on this machine."""
    return [
        _diagnosis(
            PROGRAM_MISSING,
            Found(
                what=f"{program.name} is not on PATH of this machine; it {program.remedy}",
                why=f"The way to the head node is {reach.title()}, which needs it. `--via` chooses another way",
            ),
        )
        for program in missing_programs(reach.programs(HEAD))
    ]


def why_unreachable(reach: Reach, said: str) -> Diagnosis:
    """Return the diagnosis for what ssh and the tunnel's program wrote to standard error."""
    tunnel = reach.tunnel if reach.way == "tunnel" else None
    for sign in tunnel.signs if tunnel else ():
        if found := re.search(sign.pattern, said):
            do = [Step(command=tuple(sign.command), on="laptop")] if sign.command else list(_looks(reach))
            return _diagnosis(sign.id, Found(what=_quoted(TITLES[sign.id], said, found), why=sign.why, do=do))
    for sign in SIGNS:
        if found := re.search(sign.pattern, said):
            return _diagnosis(
                sign.id, Found(what=_quoted(sign.title, said, found), why=sign.why, do=tuple(_steps(reach, sign)))
            )
    return _diagnosis(
        OTHER,
        Found(
            what=f"The head node can't be reached by {reach.title()}: {_last_line(said) or 'ssh says nothing'}",
            why="`hpc ssh --print` shows the command line of ssh; with -v it says more",
            do=(Step(command=("hpc", "ssh", "{stack}", "--print"), on="laptop"), *_looks(reach)),
        ),
    )


def _diagnosis(id: str, found: Found) -> Diagnosis:
    return Diagnosis(id=id, level=Level.ERROR, found=found)


def _steps(reach: Reach, sign: Sign) -> Iterator[Step]:
    if sign.forget_host_key:
        yield Step(command=("ssh-keygen", "-R", f"{reach.cluster}-head"), on="laptop")
    if sign.look_at_machine:
        yield from _looks(reach)


def _looks(reach: Reach) -> Sequence[Step]:
    return [Step(command=tuple(command), on="laptop") for command in reach.console()]


def _quoted(title: str, said: str, found: re.Match[str]) -> str:
    """Return the title, with the line of the message in which the sign was found."""
    begin, end = said.rfind("\n", 0, found.start()) + 1, said.find("\n", found.start())
    return f"{title}: {printable(said[begin : end if end >= 0 else None].strip())}"


def _last_line(said: str) -> str:
    lines = said.strip().splitlines()
    return printable(lines[-1].strip()) if lines else ""
