"""The head node decides and publishes; the other nodes follow."""

import datetime
import os
from pathlib import Path

import pytest

from hpc_components.people.node.document import Document, Person, parse, write
from hpc_components.people.node.follow import Follower
from hpc_components.people.node.lead import Files, Leader
from hpc_components.people.node.leaving import Spool
from hpc_components.people.node.name_service import Places
from hpc_components.people.node.version import NAME, version_of

from .samples import TODAY, document

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give directories to others")

TOMORROW = TODAY + datetime.timedelta(days=1)


class Cluster:
    """A head node and a login node, in directories, and what lies between them."""

    def __init__(self, top: Path) -> None:
        self.top, self.bucket, self.published_count, self.fetched = top, "", 0, 0
        self.slurm_answers = self.bucket_answers = True
        (top / "head/etc").mkdir(parents=True)
        (top / "login/etc").mkdir(parents=True)
        for node in ("head", "login"):
            (top / node / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
            (top / node / "etc/shadow").write_text("")
        for folder in ("names", "home"):
            (top / folder).mkdir()
        self.leader = self.new_head()
        self.follower = Follower(
            self._fetch,
            file=top / "login/people.json",
            places=self._places("login"),
            spool=self._spool("login"),
            announced=self._announced,
            tell=lambda _: None,
        )

    def new_head(self) -> Leader:
        files = Files(
            self.top / "described.json", self.top / "state/ids", self.top / "state/published.json",
            self.top / "names/people", self.top / "home", self.top / "skel",
        )  # fmt: skip
        return Leader(self._publish, files, self._places("head"), self._spool("head"), self._run, tell=lambda _: None)

    def describe(self, **people: Person) -> None:
        (self.top / "described.json").write_text(write(document(**people)))

    def known_on(self, node: str) -> list[str]:
        passwd = (self._places(node).tables / "passwd").read_text()
        return [line.partition(":")[0] for line in passwd.splitlines()]

    def _places(self, node: str) -> Places:
        return Places(self.top / node / "extrausers", self.top / node / "keys", self.top / node / "etc")

    def _spool(self, node: str) -> Spool:
        return Spool(*(self.top / node / name for name in ("crontabs", "at", "linger", "sessions")))

    def _publish(self, file: Path) -> None:
        if not self.bucket_answers:
            raise OSError("publish people.json: the bucket does not answer")
        self.bucket = file.read_text()
        self.published_count += 1

    def _fetch(self, file: Path, seconds: int) -> None:
        self.fetched += 1
        file.write_text(self.bucket)

    def _announced(self) -> str | None:
        table = self.top / "names/people"
        return table.read_text().split()[0] if table.exists() else None

    def _run(self, command: list[str]) -> str:
        if not self.slurm_answers:
            raise OSError("squeue: Unable to contact slurm controller")
        return ""


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def test_a_person_of_the_description_is_known_on_all_nodes(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001))
    assert cluster.leader.lead(TODAY) == ()
    assert cluster.follower.begin(0) == ()
    assert cluster.known_on("head") == cluster.known_on("login") == ["ada"]
    assert (cluster.top / "home/ada").stat().st_uid == 2001
    assert (cluster.top / "names/people").read_text() == f"{version_of(cluster.bucket)} {NAME}\n"


def test_a_change_reaches_other_nodes_once(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001))
    cluster.leader.lead(TODAY)
    cluster.follower.begin(0)
    cluster.describe(bob=Person(2002))
    cluster.leader.lead(TODAY)
    cluster.leader.lead(TODAY)
    for _ in range(3):
        cluster.follower.follow()
    assert cluster.known_on("login") == ["bob", "former-ada"]
    assert cluster.published_count == cluster.fetched == 2


def test_a_person_without_a_place_for_a_key_is_reported_once_and_keeps_nothing_back(cluster: Cluster) -> None:
    told: list[str] = []
    cluster.leader.tell, cluster.leader.personal_keys = told.append, True
    cluster.describe(ada=Person(2001))
    (cluster.top / "home/ada").mkdir()
    os.chown(cluster.top / "home/ada", 2001, 2001)
    (cluster.top / "home/ada/.ssh").write_text("a file")
    for _ in range(2):
        assert cluster.leader.lead(TODAY) == ()
    assert len([sentence for sentence in told if "can't make an SSH key" in sentence]) == 1
    assert parse(cluster.bucket).people.keys() == {"ada"}


def test_an_expired_person_leaves_without_a_new_description(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001, expires=TODAY))
    cluster.leader.lead(TODAY)
    cluster.follower.begin(0)
    cluster.leader.lead(TOMORROW)
    cluster.follower.follow()
    assert cluster.known_on("head") == cluster.known_on("login") == ["former-ada"]


def test_a_new_head_node_knows_the_ids_of_former_people(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001))
    cluster.leader.lead(TODAY)
    cluster.describe(bob=Person(2001), eve=Person(2003))
    head = cluster.new_head()
    assert head.lead(TODAY) == ("user bob: 2001 is or was the id of user ada, who may own files: choose another uid",)
    assert cluster.known_on("head") == ["eve", "former-ada"]


@pytest.mark.parametrize("trouble", ["slurm_answers", "bucket_answers"])
def test_trouble_with_one_thing_keeps_no_other_back(cluster: Cluster, trouble: str) -> None:
    cluster.describe(ada=Person(2001))
    setattr(cluster, trouble, False)
    (sentence,) = cluster.leader.lead(TODAY)
    assert "answer" in sentence or "contact" in sentence
    assert cluster.known_on("head") == ["ada"]
    assert (cluster.top / "home/ada").is_dir()
    setattr(cluster, trouble, True)
    assert cluster.leader.lead(TODAY) == ()
    assert parse(cluster.bucket).people.keys() == {"ada"}


def test_a_version_is_announced_only_when_it_can_be_fetched(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001))
    cluster.bucket_answers = False
    cluster.leader.lead(TODAY)
    assert not (cluster.top / "names/people").exists()


def test_a_node_goes_on_with_what_it_has_while_the_head_node_is_away(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001))
    cluster.leader.lead(TODAY)
    cluster.follower.begin(0)
    (cluster.top / "names/people").unlink()
    assert cluster.follower.follow() == ()
    assert cluster.known_on("login") == ["ada"]


def test_a_restarted_follower_needs_no_new_copy(cluster: Cluster) -> None:
    cluster.describe(ada=Person(2001))
    cluster.leader.lead(TODAY)
    cluster.follower.begin(0)
    cluster.follower._applied = ""
    cluster.follower.follow()
    assert cluster.fetched == 1


def test_versions_differ_and_are_private_addresses() -> None:
    versions = {version_of(write(Document({"ada": Person(uid)}))) for uid in range(2000, 2200)}
    assert len(versions) == 200
    assert all(version.startswith("10.") for version in versions)
