"""Runs a project with the real Pulumi engine and stand-in providers. This requires no cloud account and no network.

>>> copy_project(Path("."), tmp_path / "project")
>>> engine = Engine(tmp_path / "project", tmp_path / "engine")
>>> engine.up("aws-cfd")
>>> assert not engine.preview("aws-cfd").changes
>>> engine.config_set("aws-cfd", "hpc:cluster.queues[0].max", "32")
>>> assert not engine.preview("aws-cfd").replaced
>>> engine.destroy("aws-cfd")

The `pulumi` CLI must be on PATH, which `Engine.available()` checks. The real engine determines order, dependencies,
diffs, replacements and state. The only thing missing is a real cloud's validation of values.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

import yaml

from hpc_components.errors import HpcError
from hpc_components.testing._outcome import (
    Outcome,
    StackState,
    StateResource,
    Step,
    from_digest,
    from_events,
    from_export,
)
from hpc_components.testing.facts import stand_ins
from hpc_components.testing.stand_in_cloud import StandInCloud

__all__ = ["Engine", "EngineError", "Outcome", "StackState", "StandInCloud", "StateResource", "Step", "copy_project"]

_QUOTED_LINES = 25


class EngineError(HpcError):
    """Raised if a CLI command fails.

    The message quotes the end of the command's output, and `output` contains the full output. `outcome` contains the
    steps up to the failure. It is None if the command doesn't report steps.
    """

    def __init__(self, message: str, outcome: Outcome | None = None, output: str = "") -> None:
        super().__init__(message)
        self.outcome = outcome
        self.output = output


class Engine:
    """Runs the Pulumi CLI on a project, with a separate state, a separate home directory and a stand-in cloud.

    Args:
        project_dir: Directory that contains `Pulumi.yaml`. Use a copy of the project, because the CLI writes to the
            stack files.
        tmp: Directory for everything else, created if necessary. Nothing is written outside `tmp` and `project_dir`.
        environment: Additional environment variables for the CLI and the program.
    """

    def __init__(self, project_dir: Path, tmp: Path, *, environment: Mapping[str, str] | None = None) -> None:
        self.project_dir = project_dir.resolve()
        self.cloud = StandInCloud(tmp.resolve() / "cloud")
        """Stand-in cloud, with the resources that providers created, the journal of changes, and injected faults."""
        home, state = tmp.resolve() / "home", tmp.resolve() / "state"
        state.mkdir(parents=True, exist_ok=True)
        _install_stand_ins(home / "plugins", self.cloud.root)
        self._environment = {**_environment(home, state), **(environment or {})}
        self._stacks: set[str] = set()

    @staticmethod
    def available() -> bool:
        """Return whether `pulumi` is on PATH."""
        return shutil.which("pulumi") is not None

    def up(self, stack: str) -> Outcome:
        """Run `pulumi up`. Raise EngineError, which contains the steps up to the failure, if a resource or the
        program fails.
        """
        return self._change("up", stack, "--skip-preview")

    def preview(self, stack: str, *, expect_no_changes: bool = False) -> Outcome:
        """Run `pulumi preview`. Raise EngineError if the preview fails, or if `expect_no_changes` is set and there
        are changes.
        """
        self._make(stack)
        asked = ["--expect-no-changes"] if expect_no_changes else []
        done = self._run("preview", "--stack", stack, "--json", *asked)
        outcome = from_digest(done.stdout) if done.stdout.startswith("{") else None
        if done.returncode != 0 or outcome is None:
            raise _error(done, outcome)
        return outcome

    def destroy(self, stack: str) -> Outcome:
        """Run `pulumi destroy`. Raise EngineError if a resource can't be deleted, e.g. because it is protected."""
        return self._change("destroy", stack, "--skip-preview")

    def refresh(self, stack: str) -> Outcome:
        """Run `pulumi refresh`, which asks the stand-in provider which resources still exist."""
        return self._change("refresh", stack, "--skip-preview")

    def unprotect(self, stack: str) -> None:
        """Unprotect all resources, as users must do before they can destroy a stack that contains data."""
        self.pulumi("state", "unprotect", "--all", "--yes", "--stack", stack)

    def export(self, stack: str) -> StackState:
        """Return the stack's state, in which secrets are encrypted."""
        return from_export(self.pulumi("stack", "export", "--stack", stack))

    def outputs(self, stack: str) -> Mapping[str, object]:
        """Return the stack's outputs."""
        return json.loads(self.pulumi("stack", "output", "--json", "--stack", stack))

    def config_set(self, stack: str, key: str, value: str, *, secret: bool = False, path: bool = False) -> None:
        """Run `pulumi config set`. If `path` is true, `key` may be a path into an object, e.g.
        `hpc:cluster.queues[0].max`.
        """
        self._make(stack)
        asked = ["--secret" if secret else "--plaintext", *(["--path"] if path else [])]
        self.pulumi("config", "set", "--stack", stack, *asked, "--", key, value)

    def pulumi(self, *arguments: str) -> str:
        """Run any other CLI command and return its output. Raise EngineError if the command fails."""
        done = self._run(*arguments)
        if done.returncode != 0:
            raise _error(done, None)
        return done.stdout

    def _change(self, command: str, stack: str, *arguments: str) -> Outcome:
        self._make(stack)
        done = self._run(command, "--stack", stack, "--yes", "--json", *arguments)
        outcome = from_events(done.stdout.splitlines())
        if done.returncode != 0:
            raise _error(done, outcome)
        return outcome

    def _make(self, stack: str) -> None:
        if stack not in self._stacks:
            self.pulumi("stack", "select", stack, "--create", "--secrets-provider", "passphrase")
            self._stacks.add(stack)

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", "--non-interactive", *arguments],
            cwd=self.project_dir,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def copy_project(source: Path, target: Path) -> Path:
    """Copy a project to `target`, where tests can run and change it, and return `target`.

    Only what the engine needs is copied: `Pulumi.yaml`, the program and the stack files. Runtime options, such as the
    toolchain and the virtual environment, are removed so that the copy runs with this Python interpreter.
    """
    project = yaml.safe_load((source / "Pulumi.yaml").read_text(encoding="utf-8"))
    runtime = project["runtime"]
    project["runtime"] = runtime["name"] if isinstance(runtime, dict) else runtime
    skipped = shutil.ignore_patterns(".*", "__pycache__", "venv")
    target.mkdir(parents=True, exist_ok=True)
    for part in sorted({str(project.get("main", ".")), str(project.get("stackConfigDir", "."))}):
        place = source / part
        if place.is_file():
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(place, target / part)
        else:
            shutil.copytree(place, target / part, ignore=skipped, dirs_exist_ok=True)
    (target / "Pulumi.yaml").write_text(yaml.safe_dump(project, sort_keys=False), encoding="utf-8")
    return target


def _install_stand_ins(plugins: Path, state: Path) -> None:
    """Install the stand-in as the plugin for every installed Pulumi SDK, in the folders that downloaded plugins would
    use.
    """
    for name, version in _installed_sdks():
        folder = plugins / f"resource-{name}-v{version}"
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / f"pulumi-resource-{name}"
        program.write_text(
            "#!/bin/sh\n"
            f'exec "{sys.executable}" -m hpc_components.testing.provider'
            f' --package {name} --version {version} --state "{state}" "$@"\n',
            encoding="utf-8",
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)


def _installed_sdks() -> list[tuple[str, str]]:
    found = []
    for distribution in distributions():
        name = distribution.name
        if not name.lower().replace("-", "_").startswith("pulumi_"):
            continue
        file = distribution.locate_file(f"{name.replace('-', '_')}/pulumi-plugin.json")
        if os.path.exists(str(file)):
            plugin = json.loads(Path(str(file)).read_text(encoding="utf-8"))
            if plugin.get("resource"):
                found.append((plugin["name"], plugin["version"]))
    return found


def _environment(home: Path, state: Path) -> dict[str, str]:
    """Return this process's environment variables without those for Pulumi and the clouds, plus settings that keep
    the CLI offline.
    """
    settings = ("PULUMI_", *(prefix for each in stand_ins() for prefix in each.environment))
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(settings)}
    return inherited | {
        "NO_COLOR": "1",
        "PULUMI_HOME": str(home),
        "PULUMI_BACKEND_URL": state.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_PYTHON_CMD": sys.executable,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
        "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "true",
        "PULUMI_ERROR_OUTPUT_STRING": "true",
        # Write the state only once, at the end: writing it after every step would take half of the run time.
        "PULUMI_SKIP_CHECKPOINTS": "true",
    }


def _error(done: subprocess.CompletedProcess[str], outcome: Outcome | None) -> EngineError:
    said = [*(outcome.errors if outcome else [done.stdout]), done.stderr]
    lines = [line for text in said for line in text.splitlines() if line.strip()]
    command = " ".join(str(each) for each in done.args)
    message = "\n".join([f"`{command}` exited with code {done.returncode}:", *lines[-_QUOTED_LINES:]])
    return EngineError(message, outcome, "\n".join(lines))
