"""`common/google_node.py`, which nodes ask Google Cloud with."""

import importlib.util
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from hpc_components.gcp import boot

from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS, GRANTS
from .gcp_stage import CONFIG, gcp_metadata

SCRIPTS = Path(boot.__file__).parent / "scripts/common"


@pytest.fixture
def load(gcp: FakeGcp, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Makes the helper of a node with this role, where no time passes."""
    now = [1_790_000_000.0]

    def make(role: str, name: str = "lab-debug-9") -> ModuleType:
        gcp.metadata.machines[""] = GcpMachine(gcp_metadata(role), ACCOUNTS[role], name)
        monkeypatch.syspath_prepend(SCRIPTS)
        for module in ("google_rest", "google_secrets"):
            sys.modules.pop(module, None)
        for variable, value in {"IMDS": gcp.url, "GOOGLEAPIS": gcp.url, "HPC_CONFIG": CONFIG}.items():
            monkeypatch.setenv(variable, value)
        spec = importlib.util.spec_from_file_location("google_node", SCRIPTS / "google_node.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setattr("time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
        monkeypatch.setattr("time.time", lambda: now[0])
        monkeypatch.setattr("time.monotonic", lambda: now[0])
        return module

    return make


Load = Callable[..., ModuleType]


def file(folder: Path, content: bytes) -> str:
    path = folder / content.decode()
    path.write_bytes(content)
    return str(path)


def test_two_at_the_same_time_have_the_same(
    load: Load, gcp: FakeGcp, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Both have looked before either has added anything."""
    gcp.secrets.secrets["lab-ssh-host"] = []
    helper = load("login")
    both = threading.Barrier(2)
    gcp.secrets.adds = lambda name: both.wait(20) and None
    files = [file(tmp_path, content) for content in (b"first", b"second")]
    threads = [threading.Thread(target=helper.agree, args=("lab-ssh-host", each)) for each in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = capfdbinary.readouterr().out
    assert said in (b"firstfirst", b"secondsecond")
    assert len(gcp.secrets.secrets["lab-ssh-host"]) == 2, "Secret Manager has taken both"
    helper.agree("lab-ssh-host", file(tmp_path, b"third"))
    assert capfdbinary.readouterr().out * 2 == said


def test_two_head_nodes_at_the_same_time_have_the_same_key(load: Load, gcp: FakeGcp, tmp_path: Path) -> None:
    gcp.secrets.secrets["lab-munge"] = []
    helper = load("head")
    both = threading.Barrier(2)
    gcp.secrets.adds = lambda name: both.wait(20) and None
    keys = [tmp_path / "one", tmp_path / "two"]
    threads = [threading.Thread(target=helper.key, args=("lab-munge", str(key), "32")) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keys[0].read_bytes() == keys[1].read_bytes()


def test_an_alias_that_is_old_decides_nothing(
    load: Load, gcp: FakeGcp, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`latest` may be old for minutes: a node would have another key than the head node, or make a second one."""
    gcp.secrets.secrets["lab-munge"] = [b"old", b"new"]
    for knows in (0, 1):
        gcp.secrets.known["lab-munge"] = knows
        load("compute").secret("lab-munge")
        path = tmp_path / f"key-{knows}"
        load("head").key("lab-munge", str(path), "16")
        assert path.read_bytes() == b"new"
    assert capfdbinary.readouterr().out.count(b"new") >= 2
    assert len(gcp.secrets.secrets["lab-munge"]) == 2


def test_a_version_that_somebody_has_disabled_does_not_count(
    load: Load, gcp: FakeGcp, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    gcp.secrets.secrets |= {"lab-ssh-host": [None], "lab-munge": [b"first", None, b"third", None]}
    load("login").agree("lab-ssh-host", file(tmp_path, b"new"))
    load("compute").secret("lab-munge")
    assert capfdbinary.readouterr().out == b"newthird"
    assert gcp.secrets.secrets["lab-ssh-host"] == [None, b"new"]


def test_a_secret_that_is_made_later_is_awaited(
    load: Load, gcp: FakeGcp, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Login nodes may be faster than the secret, and than the head node that puts a value there."""
    secrets = gcp.secrets.secrets
    later: list[Callable[[], object]] = [
        lambda: secrets.update({"lab-munge": []}), lambda: secrets["lab-munge"].append(b"the key"),
    ]  # fmt: skip
    helper = load("login")
    monkeypatch.setattr("time.sleep", lambda seconds: later.pop(0)())
    helper.secret("lab-munge", "900")
    assert capfdbinary.readouterr().out == b"the key"


def test_a_secret_that_stays_empty_is_an_error(load: Load, gcp: FakeGcp) -> None:
    gcp.secrets.secrets["lab-munge"] = []
    with pytest.raises(
        SystemExit, match="secret lab-munge has no value after 5 s: run `sudo /opt/hpc/bin/hpc-update`"
    ):
        load("compute").secret("lab-munge", "5")


def test_a_right_that_is_new_takes_a_while(
    load: Load, gcp: FakeGcp, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    gcp.secrets.secrets["lab-munge"] = [b"the key"]
    gcp.grants[ACCOUNTS["compute"]] = frozenset()
    helper = load("compute")
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 20:
            gcp.grants[ACCOUNTS["compute"]] = GRANTS["compute"]

    monkeypatch.setattr("time.sleep", sleep)
    helper.secret("lab-munge", "900")
    assert (capfdbinary.readouterr().out, len(slept)) == (b"the key", 20)


def test_a_right_that_is_never_given_is_told_in_one_line(load: Load, gcp: FakeGcp) -> None:
    gcp.secrets.secrets["lab-jwt"] = []
    helper = load("compute")
    with pytest.raises(helper.AskError) as refused:
        helper.secret("lab-jwt", "900")
    assert str(refused.value) == (
        f"GET {gcp.url}/v1/projects/acme-hpc/secrets/lab-jwt/versions/latest:access: HTTP 403: PERMISSION_DENIED:"
        " Permission 'secretmanager.versions.access' denied on resource 'secret/lab-jwt' (or it may not exist)."
    )


@pytest.mark.parametrize(("value", "password"), [("plain\n", "plain"), ('{"password": "in json"}', "in json")])
@pytest.mark.parametrize("version", ["latest", "1"])
def test_a_database_password_is_printed(
    load: Load, gcp: FakeGcp, capsys: pytest.CaptureFixture[str], value: str, password: str, version: str
) -> None:
    gcp.grants[ACCOUNTS["head"]] |= {("roles/secretmanager.secretAccessor", "secret/db")}
    gcp.secrets.secrets["db"] = [value.encode()]
    load("head").password(f"projects/acme-hpc/secrets/db/versions/{version}")
    assert capsys.readouterr().out == f"{password}\n"


def test_a_node_s_number_is_that_of_its_machine_s_name(load: Load, capsys: pytest.CaptureFixture[str]) -> None:
    load("compute", "lab-debug-12").fact("number")
    assert capsys.readouterr().out == "12\n"


@pytest.mark.parametrize("name", ["lab-debug-large-12", "lab-debug-a", "lab-other-1", "debug-1"])
def test_a_machine_that_the_daemon_did_not_make_has_no_number(load: Load, name: str) -> None:
    with pytest.raises(
        SystemExit, match=f"name, {name}, does not have the form lab-debug-<number>, so the elastic daemon did not"
    ):
        load("compute", name).fact("number")


@pytest.mark.parametrize("index", ["Packages", "Packages.gz"])
def test_a_package_archive_in_a_bucket_is_copied(load: Load, gcp: FakeGcp, tmp_path: Path, index: str) -> None:
    """Lists come in pages; names in them may leave the folder."""
    names = ("slurm/a.deb", "slurm/pool/b & c.deb", "slurm-old/d.deb", "slurm/../../e.deb", f"slurm/{index}")
    gcp.storage.buckets["packages"] = {name: name.encode() for name in names} | {"slurm/": b"", "slurm/pool/": b""}
    gcp.grants[ACCOUNTS["compute"]] |= {("roles/storage.objectViewer", "bucket/packages")}
    load("compute").mirror("gs://packages/slurm/", str(tmp_path / "into/here"))
    there = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {f"into/here/{name[6:]}": name for name in names if name[:6] == "slurm/" and ".." not in name}


def test_a_log_fits_into_one_call(load: Load, gcp: FakeGcp, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"{number} {'x' * 5000}\n\n" for number in range(3000)))
    helper = load("compute")
    helper.log(str(path))
    (lines,) = gcp.logs.values()
    assert [int(line.split()[0]) for line in lines] == list(range(3000 - helper.LOG_LINES, 3000))
    assert max(map(len, lines)) == 1000


@pytest.mark.parametrize(
    "path",
    [
        "/v1/projects/acme-hpc/secrets/lab-munge/versions/1:access",
        "/computeMetadata/v1/instance/service-accounts/default/token",
    ],
)
def test_what_passes_is_asked_again(
    load: Load, gcp: FakeGcp, capfdbinary: pytest.CaptureFixture[bytes], path: str
) -> None:
    gcp.secrets.secrets["lab-munge"] = [b"the key"]
    gcp.secrets.known["lab-munge"] = 0
    gcp.failures |= {path: 3}
    load("compute").secret("lab-munge")
    assert capfdbinary.readouterr().out == b"the key"
    assert gcp.asked.count(f"GET {path}") >= 4


def test_no_secret_is_told_of_a_token(load: Load, gcp: FakeGcp, capsys: pytest.CaptureFixture[str]) -> None:
    """A message may be shown to everybody."""
    gcp.secrets.secrets["lab-jwt"] = []
    helper = load("compute")
    with pytest.raises(helper.AskError) as refused:
        helper.secret("lab-jwt", "0")
    assert not re.search("ya29", str(refused.value) + capsys.readouterr().out)
