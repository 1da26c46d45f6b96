"""For tests of descriptions: a right one, one key a line, and what is said when lines of it are changed."""

from typing import Any

from hpc_components.spec.source import Document, read_yaml
from hpc_components.spec.validate import Judgement, judge

RIGHT = """\
cloud: aws
name: cfd
region: us-east-2
zone: use2-az2
network: {cidr: 10.20.0.0/16}
head_node: {machine: c6i.xlarge}
storage: {home: {type: efs, mount: /home}}
queues: [{name: cpu, machine: c7i.large, max: 1}]
"""


def document(changes: str = "", *, without: str = "") -> Document:
    """The right description with lines replaced by those of the same key in `changes`, others added, one left out."""
    lines = {line.partition(":")[0]: line for line in [*RIGHT.splitlines(), *changes.splitlines()]}
    lines.pop(without, None)
    return read_yaml("\n".join(lines.values()), "f.yaml")


def judged(changes: str = "", *, without: str = "") -> Judgement:
    """What is said of it."""
    return judge(document(changes, without=without))


def findings(changes: str = "", *, without: str = "") -> list[tuple[str, str, int | None, int | None]]:
    """Id, path, line and column of all errors."""
    return [(each.id, each.path, each.line, each.column) for each in judged(changes, without=without).errors]


def told(changes: str = "", *, without: str = "") -> tuple[str, str, Any]:
    """Reason, remedy and value of the only error."""
    (error,) = judged(changes, without=without).errors
    return error.reason, error.remedy, error.value
