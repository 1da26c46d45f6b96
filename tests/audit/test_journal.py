"""Records from entries of the journal, as sshd 10.0, sudo 1.9.16 and su of Debian 13 write them."""

import pwd

import pytest

from hpc_components.audit.node.journal import EVERYONE_MAY, records_of
from hpc_components.audit.node.record import Record, without_secrets

KEY = "ED25519 SHA256:iU097AScK5PVF4tiWcydslnVbFC44pJmnR7ADmsLVGY"
NOBODY = pwd.getpwnam("nobody")


def records(message: str | list[int], *, program: str, uid: int = 0) -> list[tuple[str, str, str, str]]:
    """(kind, who, what, from) of the records of an entry."""
    entry = {
        "SYSLOG_IDENTIFIER": program, "_UID": str(uid), "MESSAGE": message,
        "__REALTIME_TIMESTAMP": "1795928495776588",
    }  # fmt: skip
    return [(each.kind, each.who, each.what, each.source) for each in records_of(entry)]


@pytest.mark.parametrize("program", ["sshd", "sshd-session"])
def test_a_login_has_name_key_and_address(program: str) -> None:
    line = f"Accepted publickey for alice from 10.1.2.3 port 32786 ssh2: {KEY}"
    assert records(line, program=program) == [("login", "alice", f"ssh: publickey {KEY}", "10.1.2.3")]


def test_a_certificate_is_named_with_its_id() -> None:
    line = "Accepted hostbased for alice from 10.1.2.3 port 9: ED25519-CERT SHA256:x ID login-10-20-0-7 (serial 1)"
    ((kind, who, what, _),) = records(line, program="sshd")
    assert (kind, who) == ("login", "alice")
    assert "hostbased" in what
    assert "ID login-10-20-0-7" in what


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("Invalid user bob from 127.0.0.1 port 4", "bob"),
        ("Failed password for alice from 127.0.0.1 port 4 ssh2", "alice"),
        ("Connection closed by authenticating user alice 127.0.0.1 port 32814 [preauth]", "alice"),
    ],
)
def test_a_refused_login_is_a_record(line: str, who: str) -> None:
    ((kind, found, _, source),) = records(line, program="sshd-session")
    assert (kind, found, source) == ("refused", who, "127.0.0.1")


def test_a_user_can_not_forge_a_login_of_others() -> None:
    line = f"Accepted publickey for root from 1.2.3.4 port 1 ssh2: {KEY}"
    assert records(line, program="sshd", uid=12000) == []


@pytest.mark.parametrize(
    "line",
    [
        "   {who} : PWD=/home/x ; USER=root ; COMMAND=/usr/bin/true a ; b",
        "   {who} : TTY=pts/0 ; PWD=/home/x y ; USER=root ; GROUP=root ; ENV=A=1 ; COMMAND=/usr/bin/true a ; b",
        "   {who} : HOST=head ; TTY=pts/0 ; CWD=/ ; USER=root ; TSID=00 ; COMMAND=/usr/bin/true a ; b",
    ],
)
def test_a_command_of_sudo_is_the_user_s_whose_uid_the_kernel_saw(line: str) -> None:
    found = records(line.format(who="somebody"), program="sudo", uid=NOBODY.pw_uid)
    assert found == [("root", "nobody", "as root: /usr/bin/true a ; b", "")]


def test_a_user_who_is_gone_is_named_with_the_uid() -> None:
    ((_, who, _, _),) = records("bob : USER=root ; COMMAND=/bin/true", program="sudo", uid=4_000_000)
    assert who == "bob (uid 4000000)"


def test_a_refused_sudo_is_a_record_with_its_reason() -> None:
    line = "nobody : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/id"
    ((kind, who, what, _),) = records(line, program="sudo", uid=NOBODY.pw_uid)
    assert (kind, who) == ("refused", "nobody")
    assert what == "sudo: user NOT in sudoers ; as root: /usr/bin/id"


def test_what_everyone_runs_at_login_is_left_out() -> None:
    assert records(f"alice : PWD=/ ; USER=root ; COMMAND={EVERYONE_MAY[0]}", program="sudo", uid=12000) == []


def test_the_rest_of_a_long_command_is_left_out() -> None:
    """sudo cuts a long command anywhere, also within a password."""
    assert records("alice : (command continued) heim --now", program="sudo", uid=12000) == []


def test_su_is_a_record_of_the_user_who_becomes_another() -> None:
    line = f"pam_unix(su-l:session): session opened for user root(uid=0) by nobody(uid={NOBODY.pw_uid})"
    assert records(line, program="su") == [("root", "nobody", "as root: su-l", "")]
    assert records(line, program="su", uid=4_000_000) == [], "another user wrote it"
    assert records("pam_unix(su:session): session opened for user alice(uid=1) by (uid=0)", program="su") == []
    assert records("FAILED SU (to root) nobody on none", program="su", uid=NOBODY.pw_uid) == [
        ("refused", "nobody", "su: to root", "")
    ]


def test_only_sentences_about_files_are_taken_from_our_own_lines() -> None:
    assert records("/etc/sudoers.d/x is new", program="hpc-audit") == [("files", "", "/etc/sudoers.d/x is new", "")]
    assert records("send_audit: no route to host", program="hpc-audit") == []
    assert records("/etc/sudoers.d/x is new", program="hpc-audit", uid=12000) == []


def test_an_entry_that_is_not_text_is_read() -> None:
    line = list(f"Accepted publickey for \xff from 10.1.2.3 port 32786 ssh2: {KEY}".encode("latin-1"))
    ((kind, who, _, _),) = records(line, program="sshd")
    assert (kind, who) == ("login", "\N{REPLACEMENT CHARACTER}")
    assert records_of({"MESSAGE": None}) == ()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("env PASSWORD=geheim true", "env PASSWORD=[left-out] true"),
        ("tool --password geheim -v", "tool --password [left-out] -v"),
        ("tool --api-token 'ge heim' x", "tool --api-token [left-out] x"),
        ("mysql -u root -pgeheim db", "mysql -u root -p[left-out] db"),
        ("mysql -p db", "mysql -p db"),
        ("sshpass -p geheim ssh x", "sshpass -p [left-out] ssh x"),
        ("curl -u me:geheim https://x", "curl -u [left-out] https://x"),
        ("curl https://me:geheim@example.org/", "curl https://[left-out]@example.org/"),
        ("passwd alice", "passwd alice"),
        ("scontrol update nodename=gpu-7 state=resume", "scontrol update nodename=gpu-7 state=resume"),
        ("scontrol token username=alice lifespan=600", "scontrol token username=alice lifespan=600"),
        ("tool --secret --all", "tool --secret --all"),
    ],
)
def test_secrets_of_command_lines_are_left_out(command: str, shown: str) -> None:
    (clean,) = without_secrets(iter([Record(at=0, kind="root", who="a", what=f"as root: {command}")]))
    assert clean.what == f"as root: {shown}"


def test_a_record_has_one_line_of_bounded_length() -> None:
    (clean,) = without_secrets(iter([Record(at=0, kind="root", who="a" * 999, what="x\ny" * 1000, source="z" * 999)]))
    assert "\n" not in clean.what
    assert max(len(clean.what), len(clean.who), len(clean.source)) <= 1000
