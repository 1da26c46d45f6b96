"""`hpc diff --comment` of plan files, which a job has of one stack after the other."""

from pathlib import Path

from serving import serving

from tests.cli.running import ROOT, hpc
from tests.review.fake_github import FakeGitHub


def test_the_comment_of_a_plan_says_nothing_of_other_stacks(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: clusters\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text((ROOT / "stacks/config/Pulumi.aws-dev.yaml").read_text())
    assert hpc("preview", "dev", "--format", "json", "--out", "dev.json", cwd=tmp_path).returncode == 0
    github = FakeGitHub()
    other = github.write("<!-- hpc-review: clusters/prod -->\n## prod\n\ndata is lost")
    with serving(github.server()) as server:
        env = github.workflow(server, tmp_path)
        done = hpc("diff", "dev.json", "dev.json", "--comment", cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "wrote 1 comment on pull request 7 of acme/clusters\n")
    assert other["body"].endswith("data is lost")
