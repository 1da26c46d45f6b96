"""What a review says about people: who gains and who loses access."""

import pytest
from planned_changes import plan_of

from hpc_components.preview.plan import Plan
from hpc_components.review.document import PersonChange, Review, RightKind, Side
from hpc_components.review.headline import verdict
from hpc_components.review.make import review
from hpc_components.review.render.html import render_html_review
from hpc_components.review.render.markdown import render_markdown_review
from hpc_components.review.render.text import reviews_text
from hpc_components.review.verdict import conditions
from hpc_components.review.wording import Urgency, urgency

SIDES = Side(source="main"), Side(source="topic")
STACKS = {"aws-cfd": "aws", "azure-hbv4": "azure", "gcp-h3": "gcp"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFBSXHTRvHGkmOm0DJtYXGVpNIbQGrKPG9ChjVIsWQpA ada@laptop"
FINGERPRINT = "SHA256:4eDwymU5Rkp6ouKFNTp/8658e9av3hdLSAGEGjB5TDU (ada@laptop)"  # ssh-keygen -l

ACCESS, ADMIN, GROUP, KEYS, UNTIL, AFTER, FILES = RightKind
OTHER = "the rights of user ada change"


def with_users(stack: str, *users: str) -> tuple[str, str]:
    """An edit of a stack file that adds people."""
    line = f"    cloud: {STACKS[stack]}\n"
    lines = "".join(f"        {user}\n" for user in users)
    return (
        line,
        f"{line}    people:\n      groups: {{cfd: {{gid: 3001}}, chem: {{gid: 3002}}}}\n      users:\n{lines}",
    )


def reviewed(before: tuple[str, ...], after: tuple[str, ...], stack: str = "aws-cfd") -> Review:
    plans = (plan_of(stack, *([with_users(stack, *users)] if users else [])) for users in (before, after))
    return review(*plans, sides=SIDES)


def rights(change: PersonChange) -> tuple[str, list[tuple[RightKind, str]], list[tuple[RightKind, str]]]:
    gains, losses = ([(right.kind, right.value) for right in side] for side in (change.gains, change.losses))
    return change.name, gains, losses


def ada(*more: str) -> str:
    return f"ada: {{{', '.join(('uid: 2001', *more))}, keys: [{KEY}]}}"


@pytest.mark.parametrize("stack", STACKS)
def test_a_review_lists_gained_and_lost_access(stack: str) -> None:
    eva = f"eva: {{uid: 2003, groups: [cfd], keys: [{KEY}]}}"
    found = reviewed((ada(),), (eva,), stack)
    assert list(map(rights, found.people)) == [
        ("ada", [], [(ACCESS, "")]),
        ("eva", [(ACCESS, ""), (GROUP, "cfd"), (KEYS, FINGERPRINT)], []),
    ]
    assert verdict(found).startswith("user ada loses access; user eva gains access (")
    assert urgency(found) is Urgency.LOOK


@pytest.mark.parametrize(
    ("before", "after", "gains", "losses", "headline"),
    [
        ((), ("admin: true",), [(ADMIN, "")], [], "user ada becomes an administrator"),
        (("admin: true",), (), [], [(ADMIN, "")], "user ada is no longer an administrator"),
        (("groups: [cfd]",), ("groups: [chem]",), [(GROUP, "chem")], [(GROUP, "cfd")], OTHER),
        ((), ('expires: "2027-01-31"',), [], [(AFTER, "2027-01-31")], OTHER),
        (
            ('expires: "2027-01-31"',),
            ('expires: "2027-06-30"',),
            [(UNTIL, "2027-06-30")],
            [],
            OTHER,
        ),
    ],
)  # fmt: skip
def test_a_review_lists_gained_and_lost_rights(
    before: tuple[str, ...],
    after: tuple[str, ...],
    gains: list[tuple[RightKind, str]],
    losses: list[tuple[RightKind, str]],
    headline: str,
) -> None:
    found = reviewed((ada(*before),), (ada(*after),))
    assert list(map(rights, found.people)) == [("ada", gains, losses)]
    assert verdict(found).startswith(headline)


def test_a_user_who_gets_another_id_loses_the_files_of_the_old_one() -> None:
    found = reviewed((ada(),), (ada().replace("2001", "2010"),))
    assert list(map(rights, found.people)) == [("ada", [], [(FILES, "2001")])]


def test_a_changed_name_or_account_is_not_a_change_of_rights() -> None:
    found = reviewed((ada(),), (ada("full_name: Ada Lovelace"),))
    assert found.people == ()
    assert found.changes


def test_users_lose_access_when_people_are_removed_from_the_description() -> None:
    found = reviewed((ada(),), ())
    assert list(map(rights, found.people)) == [("ada", [], [(ACCESS, "")])]


def test_a_new_stack_names_no_people() -> None:
    found = review(None, plan_of("aws-cfd", with_users("aws-cfd", ada())), sides=SIDES)
    assert found.people == ()


def test_every_report_says_what_people_gain_and_lose() -> None:
    found = reviewed(
        (ada(),), (ada().replace("ada: ", "ben: "), ada().replace("ada: ", "eva: ").replace("2001", "2003"))
    )
    texts = reviews_text([found], 200), render_markdown_review(found), render_html_review([found])
    for text in texts:
        plain = " ".join(text.replace("\\", "").replace("`", "").split())
        assert "Gained: access, key SHA256:" in plain
        assert "Sessions and processes end" in plain
    assert "ben, eva: Gained: access" in texts[0]


def test_only_gained_rights_are_refused_as_access() -> None:
    (condition,) = conditions("access")
    assert condition.holds(reviewed((), (ada(),)))
    assert not condition.holds(reviewed((ada(),), ()))


def test_a_document_that_nodes_would_refuse_says_nothing_about_people() -> None:
    before, after = (plan_of("aws-cfd", with_users("aws-cfd", user)) for user in (ada(), ada("admin: true")))
    text = after.to_json().replace('\\"users\\"', '\\"user\\"')
    assert text != after.to_json()
    assert review(before, Plan.from_json(text), sides=SIDES).people == ()
