"""The command lines of ssh and scp, as data: what becomes an option, and what is refused."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.operate.reach import Reach, missing_programs
from hpc_components.operate.ways import Program, ReachError

AWS: dict[str, Any] = {
    "access": {"cloud": "aws", "cluster": "cfd", "region": "us-east-2", "user": "ubuntu"},
    "head_node": {"instance_id": "i-0abc", "private_ip": "10.20.0.20", "public_ip": ""},
    "login": None,
}


def outputs(**changes: Any) -> dict[str, Any]:
    """The outputs of a stack, with other values of single keys: `access__user` is one of `access`."""
    made = {key: dict(value) if isinstance(value, dict) else value for key, value in AWS.items()}
    for key, value in changes.items():
        *above, last = key.split("__")
        (made[above[0]] if above else made)[last] = value
    return made


def test_a_public_address_takes_precedence() -> None:
    reach = Reach(outputs(head_node__public_ip="203.0.113.7"))
    assert reach.ssh()[-1] == "ubuntu@203.0.113.7"
    assert "HostKeyAlias=cfd-head" in reach.ssh()
    assert [each.name for each in reach.programs()] == ["ssh"]


def test_a_tunnel_is_the_proxy_of_ssh() -> None:
    reach = Reach(outputs(login="lb.example.org"))
    (proxy,) = (each for each in reach.ssh() if each.startswith("ProxyCommand="))
    assert shlex.split(proxy.removeprefix("ProxyCommand="))[:5] == [
        "aws",
        "ssm",
        "start-session",
        "--region",
        "us-east-2",
    ]
    assert [each.name for each in reach.programs()] == ["ssh", "aws", "session-manager-plugin"]
    assert reach.title() == "Session Manager"


def test_a_tunnel_has_time_to_log_in_to_its_cloud() -> None:
    assert "ConnectTimeout=120" in Reach(outputs()).ssh()
    assert "ConnectTimeout=30" in Reach(outputs(head_node__public_ip="203.0.113.7")).ssh()


def test_the_way_by_login_nodes_goes_to_the_inner_address() -> None:
    line = Reach(outputs(login="lb.example.org"), via="login").ssh()
    (proxy,) = (each for each in line if each.startswith("ProxyCommand="))
    assert shlex.split(proxy.removeprefix("ProxyCommand="))[-3:] == ["-W", "10.20.0.20:22", "ubuntu@lb.example.org"]


def test_signs_of_ssh_in_a_proxy_are_doubled() -> None:
    line = Reach(outputs(access__region="r%h")).ssh()
    (proxy,) = (each for each in line if each.startswith("ProxyCommand="))
    assert "'r%%h'" in proxy or "r%%h" in proxy


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_arguments_survive_each_shell_on_the_way(command: list[str]) -> None:
    reach = Reach(outputs())
    assert shlex.split(reach.ssh("head", command)[-1]) == command
    hop = shlex.split(reach.ssh("gpu-1", command)[-1])
    assert shlex.split(hop[-1]) == command


def test_a_session_has_a_terminal_and_a_command_none() -> None:
    reach = Reach(outputs())
    assert "-t" not in reach.ssh()
    assert "-t" in reach.ssh("gpu-1")
    assert "-t" not in reach.ssh("gpu-1", ["true"])


@pytest.mark.parametrize("node", ["-oProxyCommand=x", "a b", "$(x)", "", "a;b", "é", "x\n"])
def test_a_node_s_name_is_never_an_option(node: str) -> None:
    with pytest.raises(ReachError, match="NODE is"):
        Reach(outputs()).ssh(node)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"head_node__public_ip": "-oProxyCommand=x"}, "head_node.public_ip is"),
        ({"login": "a b"}, "login is"),
        ({"access__user": "root -x"}, "access.user is"),
        ({"access__cluster": None}, "access.cluster is"),
        ({"access__cloud": "nimbus"}, "which this release does not know"),
        ({"access__cloud": ["aws"]}, "which this release does not know"),
        ({"access": None}, "run `pulumi up` with this release"),
        ({"head_node": "i-1"}, "run `pulumi up` with this release"),
        ({"access__user": None}, "name yours with --user"),
        ({"access": {"cloud": "aws", "cluster": "c", "user": "u"}}, "are incomplete: 'region'"),
    ],
)
def test_outputs_that_can_t_be_used_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ReachError, match=said):
        Reach(outputs(**changes))


def test_a_way_that_the_cluster_lacks_is_refused() -> None:
    with pytest.raises(ReachError, match="has no way public; use --via tunnel or login"):
        Reach(outputs(login="lb"), via="public")
    with pytest.raises(ReachError, match="has no login nodes; use head"):
        Reach(outputs()).ssh("login")


def test_files_of_compute_nodes_are_not_copied() -> None:
    with pytest.raises(ReachError, match="head and login only; gpu-1 reads the same shared file systems"):
        Reach(outputs()).scp("a", "b", to_node=True, node="gpu-1")


def test_missing_programs_are_found() -> None:
    known, unknown = Program(name="sh", remedy=""), Program(name="no-such-program", remedy="")
    assert missing_programs([known, unknown]) == [unknown]
