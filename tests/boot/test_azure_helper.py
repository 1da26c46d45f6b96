"""`common/azure.py`, which nodes ask Azure with."""

import base64
import gzip
import importlib
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from hpc_components.azure import boot

from .azure_rights import GRANTS
from .azure_stage import IDENTITIES, azure_tags
from .fake_azure import STREAM, FakeAzure
from .fake_imds import Vm
from .fake_vault import Version

SCRIPTS = Path(boot.__file__).parent / "scripts/common"
SET = "hpc/gzip+base64"
SCALE_SET = "lab-debug-d2s-v5-1"
MACHINE = "02aab8a4-74ef-476e-8182-f6d2ba4166a6"


@pytest.fixture
def load(azure: FakeAzure, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Makes the helper of a node with this role, where no time passes."""
    now = [1_790_000_000.0]
    azure.vault.clock = lambda: now[0]

    def make(role: str) -> ModuleType:
        azure.imds.machines[""] = Vm(
            azure_tags(role, f"{azure.url}{STREAM}", **{"hpc:queue": "debug"}), MACHINE, "10.90.128.101", SCALE_SET
        )
        monkeypatch.syspath_prepend(SCRIPTS)
        for name in ("azure_rest", "azure_logs", "azure_vault"):
            sys.modules.pop(name, None)
        settings = {"IMDS": azure.url, "BLOB": azure.url, "VAULT": azure.url, "HPC_CONFIG": "labconfig/config"}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        spec = importlib.util.spec_from_file_location("node_azure", SCRIPTS / "azure.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setattr("time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
        monkeypatch.setattr("time.time", lambda: now[0])
        monkeypatch.setattr("time.monotonic", lambda: now[0])
        return module

    return make


Load = Callable[[str], ModuleType]


def encoded(value: bytes) -> str:
    return base64.b64encode(gzip.compress(value)).decode()


def file(folder: Path, content: bytes) -> str:
    path = folder / content.decode()
    path.write_bytes(content)
    return str(path)


def test_all_have_what_the_first_had(
    load: Load, azure: FakeAzure, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    azure.vault.make("ssh-host")
    helper = load("login")
    for content in (b"first", b"second"):
        helper.agree("ssh-host", file(tmp_path, content))
    assert capfdbinary.readouterr().out == b"firstfirst"
    assert [each.content_type for each in azure.vault.secrets["ssh-host"]] == ["hpc/unset", SET]


def test_two_at_the_same_time_have_the_same(
    load: Load, azure: FakeAzure, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Both have looked before either has put anything there, in the same second."""
    azure.vault.make("ssh-host")
    helper = load("login")
    both = threading.Barrier(2)
    azure.vault.puts = lambda name: both.wait(20) and None
    contents = (b"first", b"second")
    files = [file(tmp_path, content) for content in contents]
    threads = [threading.Thread(target=helper.agree, args=("ssh-host", each)) for each in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = capfdbinary.readouterr().out
    assert said in (b"firstfirst", b"secondsecond")
    assert len(azure.vault.secrets["ssh-host"]) == 3, "Key Vault has taken both"
    helper.agree("ssh-host", file(tmp_path, b"third"))
    assert capfdbinary.readouterr().out * 2 == said


def test_who_comes_while_others_still_put_waits_for_them(
    load: Load, azure: FakeAzure, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch
) -> None:
    """The value that it sees at first is not the oldest in the end: ids decide within a second."""
    azure.vault.make("ssh-host")
    helper = load("login")
    azure.vault.put("ssh-host", encoded(b"seen"), SET, id="bbb")
    slept = []
    monkeypatch.setattr(
        "time.sleep", lambda s: slept.append(s) or azure.vault.put("ssh-host", encoded(b"older"), SET, id="aaa")
    )
    helper.agree("ssh-host", file(tmp_path, b"own"))
    assert (capfdbinary.readouterr().out, slept) == (b"older", [30.0])


def test_a_secret_that_pulumi_makes_anew_keeps_its_value(
    load: Load, azure: FakeAzure, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Azure Resource Manager gives it another first version when its tags change."""
    azure.vault.make("munge")
    path = tmp_path / "munge"
    load("head").key("munge", str(path), "16")
    made = path.read_bytes()
    azure.vault.put("munge", "unset", "hpc/unset")
    capfdbinary.readouterr()
    load("compute").secret("munge")
    assert capfdbinary.readouterr().out == made
    path.unlink()
    load("head").key("munge", str(path), "16")
    assert path.read_bytes() == made


def test_a_version_that_somebody_has_disabled_does_not_count(
    load: Load, azure: FakeAzure, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    azure.vault.make("ssh-host")
    azure.vault.secrets["ssh-host"].append(Version("0", encoded(b"leaked"), SET, 1_780_000_000, enabled=False))
    load("login").agree("ssh-host", file(tmp_path, b"new"))
    assert capfdbinary.readouterr().out == b"new"


def test_host_keys_fit_into_a_secret(load: Load, azure: FakeAzure, tmp_path: Path) -> None:
    """An archive of keys has 20 KB and is mostly zeros; Key Vault takes 25 KB of text."""
    azure.vault.make("ssh-host")
    path = tmp_path / "own.tar"
    path.write_bytes((b"key" * 200).ljust(20480, b"\0"))
    load("login").agree("ssh-host", str(path))
    assert len(azure.vault.secrets["ssh-host"][-1].value) < 1000


def test_a_secret_that_is_made_later_is_awaited(
    load: Load, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Login nodes may be faster than the secret, and than the head node that puts a value there."""
    later: list[Callable[[], object]] = [
        lambda: azure.vault.make("munge"), lambda: azure.vault.put("munge", encoded(b"the key"), SET),
    ]  # fmt: skip
    helper = load("login")
    monkeypatch.setattr("time.sleep", lambda seconds: later.pop(0)())
    helper.secret("munge", "900")
    assert capfdbinary.readouterr().out == b"the key"


def test_a_secret_that_stays_empty_is_an_error(load: Load, azure: FakeAzure) -> None:
    azure.vault.make("munge")
    with pytest.raises(SystemExit, match="secret munge has no value after 5 s: run `sudo /opt/hpc/bin/hpc-update`"):
        load("compute").secret("munge", "5")


def test_a_right_that_is_new_takes_a_while(
    load: Load, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    azure.vault.make("munge")
    azure.vault.put("munge", encoded(b"the key"), SET)
    azure.grants[IDENTITIES["compute"]] = frozenset()
    helper = load("compute")
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 20:
            azure.grants[IDENTITIES["compute"]] = GRANTS["compute"]

    monkeypatch.setattr("time.sleep", sleep)
    helper.secret("munge", "900")
    assert (capfdbinary.readouterr().out, len(slept)) == (b"the key", 20)


def test_a_right_that_is_never_given_is_told_in_one_line(load: Load, azure: FakeAzure) -> None:
    azure.vault.make("jwt")
    helper = load("compute")
    with pytest.raises(helper.AskError) as refused:
        helper.secret("jwt", "900")
    assert str(refused.value) == (
        f"GET {azure.url}/secrets/jwt: HTTP 403: Forbidden: Caller is not authorized to perform action on resource."
        " Action: 'Microsoft.KeyVault/vaults/secrets/getSecret/action'"
    )


@pytest.mark.parametrize(("value", "password"), [("plain\n", "plain"), ('{"password": "in json"}', "in json")])
def test_a_database_password_is_printed(
    load: Load, azure: FakeAzure, capsys: pytest.CaptureFixture[str], value: str, password: str
) -> None:
    azure.grants[IDENTITIES["head"]] |= {("Key Vault Secrets User", "secret/db")}
    azure.vault.secrets["db"] = []
    azure.vault.put("db", value, "")
    load("head").password(f"{azure.url}/secrets/db")
    assert capsys.readouterr().out == f"{password}\n"


def test_a_node_waits_for_the_daemon_to_name_it(
    load: Load, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may boot before the daemon sees it in its scale set, and before its scale set has a blob."""
    helper = load("compute")
    blobs = azure.blob.containers["nodes"]
    later = [
        lambda: None,
        lambda: blobs.update({f"{SCALE_SET}.json": b'{"names": {"another": "debug-1"}}'}),
        lambda: blobs.update({f"{SCALE_SET}.json": json.dumps({"names": {MACHINE.upper(): "debug-12"}}).encode()}),
    ]
    monkeypatch.setattr("time.sleep", lambda seconds: later.pop(0)())
    helper.fact("number")
    assert capsys.readouterr().out == "12\n"


def test_a_node_that_nobody_names_is_an_error(load: Load, azure: FakeAzure) -> None:
    with pytest.raises(SystemExit, match=rf"/nodes/{SCALE_SET}\.json has no name for machine {MACHINE}: the elastic"):
        load("compute").fact("number")
    azure.blob.containers["nodes"][f"{SCALE_SET}.json"] = json.dumps({"names": {MACHINE: "other-1"}}).encode()
    with pytest.raises(SystemExit, match="other-1 is not a node of queue debug"):
        load("compute").fact("number")


def test_a_node_of_a_flexible_scale_set_may_know_it_by_its_id_alone(
    load: Load, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    azure.blob.containers["nodes"][f"{SCALE_SET}.json"] = json.dumps({"names": {MACHINE: "debug-7"}}).encode()
    helper = load("compute")
    instance = helper.here()["compute"]
    monkeypatch.setitem(instance, "vmScaleSetName", "")
    id = f"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/{SCALE_SET}"
    monkeypatch.setitem(instance, "virtualMachineScaleSet", {"id": id})
    helper.fact("number")
    assert capsys.readouterr().out == "7\n"
    monkeypatch.setitem(instance, "virtualMachineScaleSet", {"id": ""})
    with pytest.raises(SystemExit, match="doesn't name this machine's scale set,"):
        helper.fact("number")


def test_a_node_of_an_availability_set_has_its_name_from_the_first(
    load: Load, azure: FakeAzure, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no blob with names for it, and no scale set in its metadata."""
    helper = load("compute")
    instance = helper.here()["compute"]
    monkeypatch.setitem(instance, "vmScaleSetName", "")
    monkeypatch.setitem(instance, "tagsList", [*instance["tagsList"], {"name": "hpc:node", "value": "debug-7"}])
    helper.fact("number")
    assert capsys.readouterr().out == "7\n"


@pytest.mark.parametrize("index", ["Packages", "Packages.gz"])
def test_a_package_archive_in_a_container_is_copied(load: Load, azure: FakeAzure, tmp_path: Path, index: str) -> None:
    """Lists come in pages; names in them may leave the folder."""
    names = ("slurm/a.deb", "slurm/pool/b & c.deb", "slurm-old/d.deb", "slurm/../../e.deb", f"slurm/{index}")
    azure.blob.containers["packages"] = {name: name.encode() for name in names}
    azure.grants[IDENTITIES["compute"]] |= {("Storage Blob Data Reader", "container/packages")}
    load("compute").mirror(f"{azure.url}/packages/slurm/", str(tmp_path / "into/here"))
    there = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {f"into/here/{name[6:]}": name for name in names if name[:6] == "slurm/" and ".." not in name}


def test_a_log_fits_into_one_call(load: Load, azure: FakeAzure, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"{number} {'x' * 500}\n\n" for number in range(3000)))
    helper = load("compute")
    helper.log(str(path))
    (lines,) = azure.logs.values()
    assert [int(line.split()[0]) for line in lines] == list(range(3000 - sys.modules["azure_logs"].LOG_LINES, 3000))
    assert max(map(len, lines)) == 200


def test_what_passes_is_asked_again(load: Load, azure: FakeAzure, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    azure.vault.make("munge")
    azure.vault.put("munge", encoded(b"the key"), SET)
    azure.failures |= {"/secrets/munge": 3}
    load("compute").secret("munge")
    assert capfdbinary.readouterr().out == b"the key"
    assert azure.asked.count("GET /secrets/munge") == 4
