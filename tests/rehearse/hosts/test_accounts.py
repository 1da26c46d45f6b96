import os
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from hpc_components.people.node.document import Document, Group, Person
from hpc_components.rehearse.hosts.accounts import account_files
from hpc_components.rehearse.hosts.host import Site
from tests.namespaces import namespaces


def test_users_take_the_place_of_those_with_their_names_or_ids(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    texts = {
        "passwd": "root:x:0:0::/root:/bin/sh\n+\nada:x:1000:1000::/:/bin/sh\neve:x:2001:2001::/:/bin/sh\n",
        "group": "root:x:0:\nada:x:1000:\ncfd:x:1001:\nother:x:3001:\n2001:x:7:\n",
        "shadow": "root:*:::::::\nada:!:2001::::::\n",
    }
    for name, text in texts.items():
        (tmp_path / "etc" / name).write_text(text)
    files = account_files(tmp_path, Document({"ada": Person(2001)}, {"cfd": Group(3001, ("ada",))}))
    found = {path: [line.split(":")[0:3:2] for line in text.splitlines()] for path, text in files.items()}
    assert found["/etc/passwd"] == [["root", "0"], ["+"], ["ada", "2001"]]
    assert found["/etc/group"] == [["root", "0"], ["2001", "7"], ["cfd", "3001"], ["ada", "2001"]]
    assert [name for name, _ in found["/etc/shadow"]] == ["root", "ada"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for namespaces")
def test_a_host_has_the_people_with_their_groups_and_homes() -> None:
    people = Document({"ada": Person(2001)}, {"cfd": Group(3001, ("ada",))})
    with namespaces() as inside:
        site = Site(network=IPv4Network("10.0.0.0/8"), lower=Path("/"), cgroup="", inside=inside, people=people)
        site.open()
        host = site.boot("head", site.network[5])
        said = host.run("runuser", "-l", "ada", "-c", "id; pwd; touch mine")
        host.kill()
    assert said.splitlines() == ["uid=2001(ada) gid=2001(ada) groups=2001(ada),3001(cfd)", "/home/ada"]
