"""Which Slurm ran, and which the cluster will have."""

import json
from dataclasses import replace

import pytest
from rehearsal_sample import spot

from hpc_components.rehearse.show.html import render_html
from hpc_components.rehearse.show.json import read_json, to_json
from hpc_components.rehearse.show.text import render_text
from hpc_components.rehearse.show.wording import other_release

WORDS = "The cluster will run Slurm 23.11, but this machine has 22.05."


@pytest.mark.parametrize("described", ["", "22.05"])
def test_nothing_is_said_where_the_release_is_the_described_one(described: str) -> None:
    assert other_release(replace(spot(), slurm="22.05.8", described=described)) == ""


def test_another_release_is_told_at_the_top() -> None:
    story = replace(spot(), slurm="22.05.8", described="23.11")
    assert other_release(story).startswith(WORDS)
    assert WORDS in " ".join(render_text(story, 200).split()[:60])
    page = render_html(story)
    assert WORDS in page[: page.index("<nav")]


def test_a_document_that_does_not_tell_the_described_release_can_still_be_read() -> None:
    story = replace(spot(), described="23.11")
    document = json.loads(to_json(story))
    assert read_json(json.dumps(document)).described == "23.11"
    del document["described"]
    assert read_json(json.dumps(document)).described == ""
