"""Comments of a pull request, at a stand-in for GitHub's API."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from serving import serving

from hpc_components.review.comments import put_comments
from hpc_components.review.document import FindingChanges
from hpc_components.review.pull_request import CommentError, PullRequest
from tests.review.fake_github import BOT, FakeGitHub
from tests.review.reviews import failure, live_update, nothing_changes


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub()


@pytest.fixture
def workflow(github: FakeGitHub, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a job that runs for pull request 7."""
    with serving(github.server()) as server:
        yield github.workflow(server, tmp_path)


def put(workflow: dict[str, str], *reviews, **how) -> list[str]:
    return [put_comments(reviews, workflow, live_update().project, **how)]


def test_each_stack_has_one_comment_that_stays_up_to_date(github, workflow):
    first, second = live_update(), replace(live_update(), stack="another")
    said = put(workflow, first, second)
    assert said == ["wrote 2 comments on pull request 7 of acme/clusters"]
    before = [each["id"] for each in github.comments]
    put(workflow, failure(), replace(nothing_changes(), stack="another"))
    assert [each["id"] for each in github.comments] == before
    assert failure().stack == first.stack
    assert "no longer holds" in github.comments[0]["body"], "no green comment is left where the program fails"
    assert "\n## another\n" in github.comments[1]["body"]


def test_an_earlier_comment_is_found_behind_hundreds(github, workflow):
    put(workflow, live_update())
    (ours,) = github.comments
    github.comments[:0] = [{"id": number, "body": "talk", "user": {"login": "ada"}} for number in range(250)]
    put(workflow, failure())
    assert len(github.comments) == 251
    assert failure().failure.splitlines()[0] in ours["body"]


def test_a_stack_that_no_longer_differs_is_told_so(github, workflow):
    put(workflow, live_update(), replace(live_update(), stack="another"))
    put(workflow, live_update())
    assert "Nothing changes any more" in github.comments[1]["body"]
    put(workflow, replace(live_update(), stack="another"), only_named=True)
    assert "Nothing changes any more" not in github.comments[0]["body"], "it was not asked for"


def test_a_stack_of_which_there_is_nothing_to_say_gets_no_comment_unless_it_has_one(github, workflow):
    still = {"id": "HPC-SLM-025", "level": "info", "path": "queues[0]", "reason": "so", "remedy": "do"}
    silent = replace(nothing_changes(), findings=FindingChanges(still=(still,)))
    assert put(workflow, silent) == ["wrote 0 comments on pull request 7 of acme/clusters"]
    assert f"## {silent.stack}" in Path(workflow["GITHUB_STEP_SUMMARY"]).read_text()
    put(workflow, replace(silent, notes=("Encrypted again.",)))
    put(workflow, silent)
    (ours,) = github.comments
    assert "✅ **Nothing changes.**" in ours["body"]
    put(workflow, replace(silent, stack="asked for"), only_named=True)
    assert len(github.comments) == 2


def test_a_stack_of_another_project_is_left_alone(github, workflow):
    other = github.write("<!-- hpc-review: elsewhere/dev -->\nthe review of another folder")
    put(workflow, live_update())
    assert other["body"].endswith("another folder")


def test_what_somebody_else_has_written_is_not_taken_for_ours(github, workflow):
    put(workflow, live_update())
    line = github.comments.pop()["body"].splitlines()[0]
    theirs = github.write(f"{line}\nall is well", author="mallory")
    put(workflow, live_update())
    assert theirs["body"].endswith("all is well")
    assert [each["user"]["login"] for each in github.comments] == ["mallory", BOT]


@pytest.mark.parametrize(("token", "author"), [("ada", "ada"), ("app", "acme[bot]")])
def test_with_another_token_the_comments_are_its_owner_s(github, workflow, token, author):
    for _ in range(2):
        put(workflow | {"GITHUB_TOKEN": token}, live_update())
    assert [each["user"]["login"] for each in github.comments] == [author]


def test_a_comment_of_a_deleted_account_is_passed_over(github, workflow):
    github.comments.append({"id": 1, "body": "talk", "user": None})
    github.comments.append({"id": 2, "body": None, "user": {"login": BOT}})
    assert put(workflow, live_update()) == ["wrote 1 comment on pull request 7 of acme/clusters"]


def test_a_fork_gets_the_summary_alone(github, workflow):
    (said,) = put(workflow | {"GITHUB_TOKEN": "fork"}, live_update())
    assert said.startswith("no comment was written: GitHub refuses POST")
    assert "`permissions: {pull-requests: write}` to the job (workflows triggered from forks can't get" in said
    assert github.comments == []
    assert f"## {live_update().stack}" in Path(workflow["GITHUB_STEP_SUMMARY"]).read_text()


def test_a_summary_is_no_longer_than_github_shows(workflow):
    summary = Path(workflow["GITHUB_STEP_SUMMARY"])
    summary.write_text("x" * 990_000)
    large = replace(failure(), failure="why\n" * 3_000)
    put(workflow | {"GITHUB_TOKEN": "fork"}, large, replace(live_update(), stack="second"), large)
    text = summary.read_text()
    assert len(text.encode()) < 2**20
    assert "\n## second\n" in text
    assert text.endswith("_1 more review did not fit here._\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"GITHUB_EVENT_PATH": ""}, "--comment works only in a GitHub workflow"),
        ({"GITHUB_TOKEN": ""}, "GITHUB_TOKEN is not set"),
        ({"GITHUB_TOKEN": "expired"}, "rejects GITHUB_TOKEN"),
        ({"GITHUB_GRAPHQL_URL": "http://127.0.0.1:9"}, "can't be reached"),
    ],
)
def test_what_is_missing_is_told(workflow, change, words):
    with pytest.raises(CommentError, match=words):
        put(workflow | change, live_update())


@pytest.mark.parametrize(
    ("method", "answer", "words"),
    [
        ("POST", (403, {"Retry-After": "60"}, b"{}"), "GitHub's rate limit is exceeded"),
        ("GET", (403, {"X-RateLimit-Remaining": "0"}, b"{}"), "GitHub's rate limit is exceeded"),
        ("POST", (502, {}, b"{}"), "returned 502 Bad Gateway for POST /repos/acme"),
        ("GET", (200, {}, b"<html>"), "not JSON"),
    ],
)
def test_what_github_can_t_answer_is_no_missing_permission(github, workflow, method, answer, words):
    github.refuses[method] = answer
    with pytest.raises(CommentError, match=words):
        put(workflow, live_update())


def test_a_push_is_no_pull_request(workflow):
    Path(workflow["GITHUB_EVENT_PATH"]).write_text(json.dumps({"ref": "refs/heads/main"}))
    with pytest.raises(CommentError, match="was not triggered by a pull request"):
        PullRequest.of_workflow(workflow)
