"""The function that ends sessions above the limit, with clients of boto3 that an emulated Session Manager answers."""

import json
from collections import Counter
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from iam_allows import policy

from clouds.aws.session_manager.session_service import PREFIX, Caller, SessionService
from hpc_components.aws.identity.policies import policy_document
from hpc_components.aws.session_manager import handler, permissions
from hpc_components.aws.session_manager.handler import SessionsRemainError, surplus

ALICE, BOB = Caller("alice@example.org"), Caller("bob")
OURS = {"HPC_CLUSTER": "cfd", "HPC_CONFIG": "cfd-config", "HPC_ROLE": "login", "HPC_DOCUMENT": "hpc-cfd"}
EVENTS = ({"detail-type": "AWS API Call via CloudTrail"}, {"detail-type": "Scheduled Event"})
STATEMENTS = json.loads(str(policy_document(permissions.limiter_statements("limit-log"))))["Statement"]


class Stage:
    """A region with a cluster's nodes, and the function with the permissions of its role."""

    def __init__(self) -> None:
        self.service, self.rights = SessionService(), policy(STATEMENTS)
        self.login, self.other_login = self.service.launch(), self.service.launch()

    def client(self, name: str, config: Config) -> Any:
        """In place of boto3's function."""
        return self.service.client(name, Caller("hpc-limit", self.rights), config)

    def start(self, caller: Caller, target: str | None = None, document: str = "hpc-cfd", **when: Any) -> str:
        return self.service.start(caller, target or self.login, document, **when)

    def run(self, event: dict[str, str] = EVENTS[0]) -> list[str]:
        return handler.handler(event, None)["ended"]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(key, "testing")
    for key, value in {**OURS, "HPC_LIMIT": "2"}.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda seconds: None)  # between attempts
    made = Stage()
    monkeypatch.setattr(handler, "boto3", made)
    return made


@pytest.mark.parametrize("event", EVENTS)
def test_newest_session_of_a_user_above_the_limit_is_ended(stage, event):
    first, second = stage.start(ALICE, second=1), stage.start(ALICE, stage.other_login, second=2)
    third, other = stage.start(ALICE, second=3), stage.start(BOB, second=4)
    assert stage.run(event) == [third]
    assert stage.service.active == {first, second, other}


def test_two_runs_for_starts_in_the_same_second_end_the_same_session(stage):
    started = sorted(stage.start(ALICE, node, second=5) for node in (stage.login, stage.other_login, stage.login))
    listed = list(stage.service.sessions.values())
    assert list(surplus(listed, 2)) == list(surplus(listed[::-1], 2)) == started[2:]
    assert (stage.run(), stage.run()) == (started[2:], [])
    assert stage.service.active == set(started[:2])


def test_event_that_comes_late_ends_nothing_more(stage):
    kept, surplus_one = [stage.start(ALICE, second=1), stage.start(ALICE, second=2)], stage.start(ALICE, second=3)
    stage.service.sessions[surplus_one]["Status"] = "Terminated"  # the user left before CloudTrail told
    assert stage.run() == []
    assert stage.service.active == set(kept)


def test_sessions_on_later_pages_count(stage):
    others = [stage.start(Caller(f"user{number}"), second=number) for number in range(45)]
    mine = [stage.start(ALICE, second=100 - number) for number in range(3)]
    assert stage.run() == mine[:1]
    assert stage.service.active == {*others, *mine[1:]}
    assert Counter(stage.service.calls)["DescribeSessions"] == 3


def test_sessions_elsewhere_neither_count_nor_end(stage):
    others = [{"cluster": "other"}, {"config": "twin-config"}, {"role": "head"}, {"role": "compute"}]
    elsewhere = [stage.service.launch(**each) for each in others]
    started = [stage.start(ALICE, node, second=number) for number, node in enumerate(elsewhere * 2)]
    started += [stage.start(ALICE, second=20), stage.start(ALICE, second=21)]
    assert stage.run() == []
    assert stage.service.active == set(started)


@pytest.mark.parametrize("document", ["SSM-SessionManagerRunShell", "AWS-StartSSHSession", "hpc-cfd-2", "hpc-cf"])
def test_administrator_with_another_document_is_left_alone(stage, document):
    for second in range(4):
        stage.start(ALICE, document=document, second=second)
    assert stage.run() == []


def test_document_that_is_specified_by_its_arn_counts(stage):
    arn = f"{PREFIX}:document/hpc-cfd"
    started = [stage.start(ALICE, document=name, second=second) for second, name in enumerate(["hpc-cfd", arn, arn])]
    assert stage.run() == started[2:]


def test_disconnected_sessions_count_and_ending_ones_do_not(stage):
    stage.start(ALICE, second=1, status="Terminating")
    kept = [stage.start(ALICE, second=2, status="Disconnected"), stage.start(ALICE, second=3, status="Connecting")]
    newest = stage.start(ALICE, second=4)
    assert stage.run() == [newest]
    assert {id for id in stage.service.active if stage.service.sessions[id]["Status"] != "Terminating"} == set(kept)


@pytest.mark.parametrize("action", ["DescribeSessions", "TerminateSession"])
def test_throttled_call_is_tried_again(stage, action):
    started = [stage.start(ALICE, second=second) for second in range(4)]
    stage.service.throttled[action] = 3
    assert stage.run() == started[2:]
    assert Counter(stage.service.calls)[action] >= 4


def test_session_that_ends_in_the_meantime_is_no_error(stage):
    started = [stage.start(ALICE, second=second) for second in range(4)]
    stage.service.vanishing = {started[2]}
    assert stage.run() == started[3:]
    assert stage.service.active == set(started[:2])


def test_session_that_can_not_be_ended_is_named_and_does_not_save_others(stage):
    started = [stage.start(ALICE, second=second) for second in range(4)]
    stage.service.broken = {started[2]: "InternalServerError"}
    with pytest.raises(
        SessionsRemainError, match=rf"cluster cfd: could not end {started[2]} \(InternalServerError\)"
    ):
        stage.run()
    assert stage.service.active == set(started[:3])


def test_role_of_the_function_has_only_the_permissions_that_it_needs(stage):
    used = [action for each in STATEMENTS for action in each["Action"] if not action.startswith("logs:")]
    assert len(used) == 3
    for action in used:
        stage.rights = policy(
            [{**each, "Action": [one for one in each["Action"] if one != action]} for each in STATEMENTS]
        )
        for second in range(3):
            stage.start(ALICE, second=second)
        with pytest.raises((ClientError, SessionsRemainError), match=r"AccessDenied|UnauthorizedOperation"):
            stage.run()


def test_nodes_on_later_pages_count(stage):
    more = [stage.service.launch() for _ in range(40)]
    started = [stage.start(ALICE, more[-1], second=second) for second in range(3)]
    assert stage.run() == started[2:]


sessions = st.lists(
    st.fixed_dictionaries(
        {"Owner": st.sampled_from("ab"), "StartDate": st.integers(0, 3), "Status": st.sampled_from(handler.COUNTED)}
    ),
    max_size=12,
).map(lambda drawn: [{**each, "SessionId": f"s-{number:02}"} for number, each in enumerate(drawn)])


@given(sessions, st.integers(1, 4), st.randoms())
def test_everyone_keeps_the_oldest_sessions_in_whatever_order_they_are_listed(drawn, limit, random):
    ended = set(surplus(drawn, limit))
    shuffled = list(drawn)
    random.shuffle(shuffled)
    assert set(surplus(shuffled, limit)) == ended
    assert not set(surplus([each for each in drawn if each["SessionId"] not in ended], limit))
    for owner in "ab":
        own = [each for each in drawn if each["Owner"] == owner]
        kept = [each for each in own if each["SessionId"] not in ended]
        assert len(kept) == min(len(own), limit)
        youngest = max((each["StartDate"] for each in kept), default=0)
        assert all(each["StartDate"] >= youngest for each in own if each["SessionId"] in ended)
