"""A plan as one self-contained page."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from golden import assert_golden
from html_page import Page
from preview_sample import FINDINGS, USER_DATA, Program, cfd, fleet, network, plan_of

from hpc_components.preview.files import generated_files, grouped
from hpc_components.preview.render.html import render_html


def page() -> Page:
    return Page(render_html(plan_of(cfd())))


def test_the_page_is_the_reviewed_one() -> None:
    program = Program()
    fleet(program, "compute", ["hpc6a.48xlarge"], network(program), placementStrategy="cluster")
    assert_golden("plan.html", render_html(plan_of(program)))


def test_the_same_plan_has_the_same_page() -> None:
    assert render_html(plan_of(cfd())) == render_html(plan_of(cfd()))


def test_nothing_is_fetched_and_nothing_runs() -> None:
    text = render_html(plan_of(cfd()))
    addresses = set(re.findall(r"https?://[^\s\"'<]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address
    found = Page(text)
    tags = {tag for tag, _ in found.tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    for _, attributes in found.tags:
        assert not {"src", "style", "srcset", "background"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_names_the_style_that_is_there() -> None:
    text = render_html(plan_of(cfd()))
    match = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert match is not None
    digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
    [policy] = [meta["content"] for meta in page().of("meta") if meta.get("http-equiv")]
    assert policy is not None
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}"])
def test_names_are_shown_literally(name: str) -> None:
    program = Program()
    subnets = network(program)
    made = fleet(program, name, ["hpc6a.48xlarge"], subnets)
    program.add("aws:s3/bucketObjectv2:BucketObjectv2", name, made, key=name, content=name)
    bad = [replace(each, reason=name, path=name, file=name) for each in FINDINGS]
    text = render_html(replace(plan_of(program, bad), stack=name, cluster=name))
    found = Page(text)
    assert not {"script", "img"} & {tag for tag, _ in found.tags}
    assert ("h1", name) in found.words
    assert ("pre", name) in found.words
    assert "49" not in [word for _, word in found.words]


def test_headings_go_down_one_by_one_and_ids_are_unique() -> None:
    found = page()
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in found.of("a"):
        assert (link["href"] or "").removeprefix("#") in ids


def test_the_pictures_are_told_in_words() -> None:
    found = page()
    ids = {attributes.get("id") for _, attributes in found.tags}
    pictures = found.of("svg")
    assert len(pictures) == 2  # one for wide pages, one for narrow ones
    for picture in pictures:
        assert picture["role"] == "img"
        assert set((picture["aria-labelledby"] or "").split()) <= ids
    described = [words for tag, words in found.words if tag == "desc"]
    assert all("compute-queue, hpc6a.48xlarge, 0 to 16 nodes" in words for words in described)


def test_tables_name_their_columns_and_scroll_by_keyboard() -> None:
    found = page()
    assert all("scope" in cell for cell in found.of("th"))
    regions = [each for each in found.of("div") if each.get("class") == "table"]
    assert regions
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in regions)


def test_generated_files_are_shown_as_text() -> None:
    words = page().words
    assert ("pre", "ClusterName=cfd\nSlurmctldHost=head(10.20.8.20)\n") in words
    assert ("pre", "# <mounts> & more\n") in words
    assert ("pre", USER_DATA) in words


def test_of_a_packed_file_only_its_size_and_sum_are_shown() -> None:
    program, packed = Program(), "UEsD" * 5000
    program.add("aws:s3/bucketObjectv2:BucketObjectv2", "a", key="common/archive.b64", content=packed)
    html = render_html(plan_of(program))
    assert packed not in html
    assert f"20,000 characters, sha256 {hashlib.sha256(packed.encode()).hexdigest()}" in html


def test_the_same_user_data_of_many_is_one_file() -> None:
    files = {file.name: file for file in generated_files(cfd().resources, "aws")}
    assert sorted(files) == ["mounts/fstab", "slurm/slurm.conf", "user data"]
    assert files["user data"].text == USER_DATA  # base64 of the templates decoded, plain text of the instance
    assert files["user data"].used_by == (
        "compute-queue-hpc6a.48xlarge", "gpu-p5.48xlarge", "head-node", "spot-c6i.32xlarge", "spot-c7i.48xlarge",
    )  # fmt: skip


def test_text_assets_are_files_and_secrets_are_not() -> None:
    program = Program()
    program.add("aws:s3/bucketObjectv2:BucketObjectv2", "a", key="a.sh", source={"asset": {"text": "echo a"}})
    program.add("aws:s3/bucketObjectv2:BucketObjectv2", "b", key="b.sh", content="<secret>")
    program.add("aws:s3/bucketObjectv2:BucketObjectv2", "c", key="c.zip", source={"archive": {"sha256": "0"}})
    program.add("aws:ec2/instance:Instance", "d", userData="gA==")
    assert [(file.name, file.text) for file in generated_files(program.resources, "aws")] == [("a.sh", "echo a")]


def test_long_words_break_on_a_narrow_screen() -> None:
    style = page_style()
    assert "main, header { overflow-wrap: anywhere; }" in style
    assert "white-space: nowrap" not in "".join(re.findall(r"\.findings (?:strong|p) \{.*?\}", style))


def page_style() -> str:
    match = re.search(r"<style>(.*?)</style>", render_html(plan_of(cfd())), re.DOTALL)
    assert match
    return match[1]


ACCESS = {
    "login": {"at": "login nodes", "public": False, "from": ["10.0.0.0/12"], "sessions": 4},
    "accounts": [
        {"account": "nlp", "parent": "root", "users": ["alice"], "default_for": [], "qos": ["long"], "fairshare": 3}
    ],
    "qos": [{"qos": "long", "priority": 0, "max_wall": "14d", "max_per_user": {"gres/gpu": 8}, "flags": []}],
    "queues": [
        {"queue": "gpu", "max_time": "7-0", "default_time": "1-0", "qos": None, "only": ["accounts nlp"]},
        {"queue": "cpu", "max_time": None, "default_time": None, "qos": None, "only": []},
    ],
}  # fmt: skip


def test_the_page_says_who_may_log_in_and_submit() -> None:
    words = [word for _, word in Page(render_html(replace(plan_of(cfd()), access=ACCESS))).words]
    assert (
        "Users log in to the login nodes by SSH from 10.0.0.0/12, over your private networks. Each user can "
        "have 4 sessions at a time on all login nodes together."
    ) in words
    assert words[words.index("gpu", words.index("Who can use it")) :][:8] == [
        "gpu", "7-0", "1-0", "accounts nlp", "cpu", "set by the job's QoS", "the longest", "everyone",
    ]  # fmt: skip
    assert {"alice", "14d", "8 gres/gpu"} <= set(words)


def test_a_plan_without_a_description_says_nothing_of_access() -> None:
    assert "access" not in [attributes.get("id") for attributes in page().of("section")]


def test_the_budget_is_held_against_the_full_cluster() -> None:
    plan = plan_of(cfd())
    text = render_html(replace(plan, cost={**plan.cost, "budget": {"monthly": 20000.0, "full_days": 13.0}}))
    assert "The budget is 20,000 USD a month: with every queue full, it is spent in 13 days." in text


def test_files_are_grouped_by_who_reads_them_and_slurm_conf_is_first() -> None:
    program = Program()
    for key in ("head/keys.sh", "common/slurm/gres.conf", "common/slurm/slurm.conf", "head/elastic.json", "my.txt"):
        program.add("aws:s3/bucketObjectv2:BucketObjectv2", key, key=key, content=key)
    groups = grouped(generated_files(program.resources, "aws"))
    assert [(group, [file.name for file in files]) for group, files in groups] == [
        ("Slurm", ["common/slurm/slurm.conf", "common/slurm/gres.conf"]),
        ("Elastic nodes", ["head/elastic.json"]),
        ("First boot", ["head/keys.sh"]),
        ("Other", ["my.txt"]),
    ]
