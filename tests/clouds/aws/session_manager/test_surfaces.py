"""One refusal has the same reason in a description and in the arguments of the component."""

import pytest

from clouds.aws.sample import CONFIG
from hpc_components.aws.session_manager.component import SessionManagerArgs
from tests.spec.rules.judged import problems


@pytest.mark.parametrize(
    ("id", "key", "argument", "remedy"),
    [
        ("001", {"idle_timeout": "90m"}, {"idle_minutes": 90}, ("60m", "60")),
        ("002", {"max_duration": "3d"}, {"max_minutes": 4320}, ("1440m", "1440")),
        ("003", {"max_sessions_per_user": 0}, {"max_sessions_per_user": 0}, ("1", "1")),
        ("004", {"logs": "2d"}, {"log_days": 2}, ("3d", "3")),
    ],
)
def test_refusal_has_one_reason_on_both_surfaces(id, key, argument, remedy):
    (problem,) = problems(f"HPC-SSM-{id}", session_manager=key)
    with pytest.raises(ValueError, match=r"^SessionManagerArgs\.") as raised:
        SessionManagerArgs(cluster="cfd", config=CONFIG, **argument)
    assert problem.remedy == f"use {remedy[0]}"
    assert str(raised.value).endswith(f": {problem.reason}; use {remedy[1]}")
