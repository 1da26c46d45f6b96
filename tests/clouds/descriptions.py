"""Descriptions of clusters on the toy cloud, and what is said of them."""

from pathlib import Path
from typing import Any

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Finding
from hpc_components.spec.source import Document, read_yaml
from hpc_components.spec.validate import judge

PLAY_FILE = Path(__file__).parent / "play.yaml"

PLAY: dict[str, Any] = read_yaml(PLAY_FILE.read_text(), "play.yaml").data["config"]["hpc:cluster"]
"""A cluster with something of all that the toy cloud has."""


def cluster_of(data: dict[str, Any]) -> ClusterSpec:
    """A cluster in which no rule finds an error."""
    judgement = judge(Document("play.yaml", data))
    assert judgement.cluster is not None, judgement.findings
    assert judgement.errors == (), judgement.errors
    return judgement.cluster


def said_of(**changed: Any) -> dict[str, Finding]:
    """What is said of `PLAY` with other parts, by id."""
    return {each.id: each for each in judge(Document("play.yaml", PLAY | changed)).findings}
