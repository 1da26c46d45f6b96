"""The report as document, page and text."""

import json
import subprocess
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from html_page import Page

from hpc_components.accept.cluster import AcceptanceError
from hpc_components.accept.result import Acceptance, Code, Figure, QueueJob, held, judged, left_out
from hpc_components.accept.show.document import checksum, sign, to_json
from hpc_components.accept.show.page import acceptance_page
from hpc_components.accept.show.tables import verdict
from hpc_components.accept.show.text import acceptance_text
from hpc_components.report.text import plain_text

SAMPLE = Acceptance(
    cluster="cfd",
    cloud="aws",
    region="us-east-2",
    rehearsed=False,
    user="alice",
    began="2026-11-29T05:00:00Z",
    seconds=812.5,
    versions={"hpc": "0.1.0", "slurm": "24.11.5"},
    described_sha256="ab" * 32,
    jobs=[
        QueueJob(queue="q", machine="m.large", nodes=2, minutes=9, usd=Decimal("4.80"), job=7, names=("q-1", "q-2"))
    ],
    outcomes=[
        held(Code.LOGIN, "alice can log in to head", "", []),
        judged(
            Code.MPI,
            "latency of MPI",
            "q",
            [Figure(name="MPI latency", value=1.8, unit="µs", at_most=5, source="a page")],
        ),
        left_out(Code.NCCL, "bus <b>bandwidth</b>", "q", "no nccl-tests"),
    ],
    boot_steps={"q-1": {"packages": 9.5, "slurmd": 0.5}},
)
BAD = replace(SAMPLE, outcomes=[*SAMPLE.outcomes, held(Code.JOB, "a job runs", "q", ["it is FAILED"])])


def test_a_failed_check_decides_the_verdict() -> None:
    assert verdict(SAMPLE) == "accepted: 2 passed, 1 left out"
    assert verdict(BAD) == "not accepted: 2 passed, 1 failed, 1 left out"


def test_what_was_only_left_out_is_not_accepted() -> None:
    assert not replace(SAMPLE, outcomes=SAMPLE.outcomes[2:]).passed


def test_the_document_proves_its_own_content() -> None:
    document = json.loads(to_json(SAMPLE))
    assert (document["acceptance"], document["passed"]) == (1, True)
    assert document["jobs"][0]["usd"] == "4.80"
    assert checksum(document) == document["sha256"]
    document["outcomes"][1]["figures"][0]["value"] = 1.7
    assert checksum(document) != document["sha256"]


def test_a_signature_is_verified_by_ssh_and_breaks_with_the_file(tmp_path: Path) -> None:
    key, file = tmp_path / "key", tmp_path / "report.json"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    file.write_text(to_json(SAMPLE))
    signature = sign(file, key)
    assert sign(file, key) == signature, "a second run replaces it"
    signers = tmp_path / "signers"
    signers.write_text(f"alice {(tmp_path / 'key.pub').read_text()}")

    def verified() -> int:
        line = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "alice", "-n", "hpc-accept", "-s", signature]
        return subprocess.run(line, input=file.read_bytes(), capture_output=True, check=False).returncode

    assert verified() == 0
    file.write_text(file.read_text().replace("1.8", "1.7"))
    assert verified() != 0


def test_a_key_that_can_not_sign_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("{}")
    with pytest.raises(AcceptanceError, match="can't sign"):
        sign(file, tmp_path / "missing")


@pytest.mark.parametrize("acceptance", [SAMPLE, BAD, replace(SAMPLE, outcomes=[], jobs=[], boot_steps={})])
def test_the_page_is_whole_and_fetches_nothing(acceptance: Acceptance) -> None:
    text = acceptance_page(acceptance)
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe"}
    anchors = {attributes["href"] for attributes in page.of("a")}
    assert anchors <= {f"#{attributes['id']}" for attributes in page.of("section")}
    assert "<b>bandwidth" not in text
    assert json.loads(to_json(acceptance))["sha256"] in text


def test_the_text_ends_with_the_verdict() -> None:
    text = plain_text(acceptance_text(BAD), 100)
    assert text.splitlines()[-1] == verdict(BAD)
    assert "q: a job runs  it is FAILED" in text
    assert "at most 5" in text
