"""`hpc policy-pack`."""

from pathlib import Path

from tests.cli.running import hpc


def test_it_prints_a_folder_that_pulumi_takes() -> None:
    done = hpc("policy-pack")
    assert (done.returncode, done.stderr) == (0, "")
    assert (Path(done.stdout.strip()) / "PulumiPolicy.yaml").is_file()


def test_without_pulumis_policies_it_names_the_package_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pulumi_policy'] = None\n", encoding="utf-8")
    done = hpc("policy-pack", env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr == "Error: Pulumi's policy SDK is not installed; run: pip install 'hpc-components[policy]'\n"
