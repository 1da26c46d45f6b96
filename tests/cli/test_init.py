"""`hpc init` on a terminal: what it asks, and what it asks again."""

import os
import pty
import re
from pathlib import Path
from select import select

from tests.cli.running import HPC
from tests.processes import Start

ANSWERS = {
    "Cloud [aws]: ": [""],
    "Region [us-east-2]: ": ["us-east-22", ""],
    "Purpose of the cluster [mpi]: ": ["gpu"],
    "Machine type of the compute nodes [g6.12xlarge]: ": ["hpc7g.16xlarge", "g5.12xlarge"],
    "Maximum number of compute nodes [2]: ": ["many", "3"],
    "scratch data, e.g. 1.2TiB, or none [none]: ": [""],
    "yes or no [no]: ": ["perhaps", "yes"],
    "by SSH, or none [none]: ": ["203.0.113.7/24", "203.0.113.7"],
    "Login nodes in addition to the head node, yes or no [no]: ": [""],
    "key pair for the nodes, or none [none]: ": ["my-key"],
    "ben=ben.pub, or none [none]: ": ["ada", "Ada=ada.pub", "ada=ada.pub, ben=ada.pub"],
    "USD, or none [none]: ": ["much", "500"],
    "for budget alerts: ": ["me", "me@example.org"],
    "Name of the cluster [gpu-": ["my_gpus", "mine"],
}

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFBSXHTRvHGkmOm0DJtYXGVpNIbQGrKPG9ChjVIsWQpA ada@laptop"


def test_each_answer_is_judged_and_asked_for_again_with_the_reason(start: Start, tmp_path: Path) -> None:
    (tmp_path / "ada.pub").write_text(f"{KEY}\n")
    ours, theirs = pty.openpty()
    env = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")} | {"TERM": "dumb"}
    process = start([HPC, "init"], cwd=tmp_path, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written, read = "", 0
    try:
        for question, answers in ANSWERS.items():
            for answer in answers:
                while question not in written[read:] or not re.search(r": $", written):
                    assert select([ours], [], [], 60)[0], f"{question!r} is not asked:\n{written}"
                    written += os.read(ours, 2**12).decode().replace("\r\n", "\n")
                read = len(written)
                os.write(ours, f"{answer}\n".encode())
        while part := os.read(ours, 2**12):
            written += part.decode().replace("\r\n", "\n")
    except OSError:  # Linux's way of saying that the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0, written
    assert "  gpu         training on GPUs\n" in written
    assert "  azure  Azure\n" in written, "the choices are shown before they are asked for"
    assert "  g6.12xlarge  24 cores, 192 GiB, 4 x L4" in written
    assert re.findall(r"^Error: (.*)$", written, re.M) == [
        "the catalogue has no AWS region 'us-east-22'; did you mean us-east-2?",
        "hpc7g.16xlarge is not available in us-east-2; regions that offer it: ap-northeast-1, eu-west-1, us-east-1",
        "'many' is not a valid number of nodes; enter a whole number, such as 16",
        "'perhaps' is not a valid answer; enter yes or no",
        "203.0.113.7/24 is an address within 203.0.113.0/24; enter 203.0.113.0/24 for the whole range, or "
        "the address without its prefix length",
        "'ada' lacks a name or a key; write it like ada=~/.ssh/id_ed25519.pub, or none",
        "'Ada' is not a valid name; use at most 32 lower-case letters, digits, hyphens and underscores, beginning "
        "with a letter, e.g. ada",
        "'much' is not a valid amount; enter USD per month, such as 500, or none",
        "'me' is not an email address; use an address such as hpc-admins@example.org",
        "'my_gpus' is not a valid cluster name; use at most 40 letters, digits and hyphens, beginning with a letter",
    ]
    text = (tmp_path / "Pulumi.mine.yaml").read_text()
    assert 'key_pair: "my-key"' in text
    assert "max: 3 " in text
    assert "data: {type: s3}" in text
    assert "ssh_from: [203.0.113.7/32]" in text
    assert f'ada: {{uid: 2001, admin: true, keys: ["{KEY}"]}}' in text
    assert f'ben: {{uid: 2002, keys: ["{KEY}"]}}' in text
    assert 'budget: {monthly: 500, notify: ["me@example.org"]}' in text
