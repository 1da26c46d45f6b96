"""Changes of Slurm with real daemons: who changed accounts is in the database, what changed queues is in the log."""

import base64
import json
from collections.abc import Iterator

import pytest

from hpc_components.boot.archive import node_archive
from tests.slurm.described import cluster, queue
from tests.slurm.head import RELEASES, Release, opened

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

DESCRIBED = cluster(
    queue(),
    queue(name="gold"),
    slurm={"accounting": {"accounts": {"lab": {"users": ["alice"]}}}},
)

SCRIPT = r"""
base64 -d /etc/slurm/hpc-audit.b64 >/hpc-audit && chmod 755 /hpc-audit
sacctmgr -i modify user alice set adminlevel=administrator >/dev/null
sleep 1
as alice sacctmgr -i add account secret description='token=geheim' >/dev/null
as alice scontrol update partitionname=gold state=down
scontrol update nodename=gold-1 state=drain reason='broken fan'
scontrol update nodename=gold-2 state=drain reason='hpc: spot notice'
scontrol create reservation starttime=now duration=60 users=alice nodes=ALL reservationname=maint flags=maint
scontrol delete reservationname=maint
scontrol reconfigure
sleep 1
now=$(date +%s)
echo ====
/hpc-audit show --since $((now - 600)) | grep -v '"unread": "journal"'
echo ====
/hpc-audit show --since $((now + 60)) --until $((now + 120)) | grep -v '"unread": "journal"'
kill $(pidof slurmdbd); sleep 1
/hpc-audit show --since $((now - 600)) | grep unread | grep -v '"journal"'
"""


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> Iterator[Release]:
    with opened(request.param) as release:
        yield release


def test_changes_of_slurm_are_recorded(release: Release) -> None:
    files = {"hpc-audit.b64": base64.b64encode(node_archive("audit")).decode()}
    output = release.run(DESCRIBED, SCRIPT, files).output
    _, shown, later = output.split("====\n")
    records = [json.loads(line) for line in shown.splitlines()]
    assert {each.get("kind") for each in records} == {"slurm"}, [each for each in records if "why" in each]
    changes = [(each["who"], each["what"]) for each in records]
    assert [what for who, what in changes if who == "alice" and what.startswith("Add Accounts secret ")]
    assert not [what for _, what in changes if "geheim" in what]
    assert any(who == "root" and "Modify Users" in what and "alice" in what for who, what in changes)
    log = [what.removeprefix("slurmctld: ") for who, what in changes if what.startswith("slurmctld: ")]
    assert "update_part: setting state_up to 1 for partition gold" in log
    assert "node gold-1 reason set to: broken fan" in log
    assert not [each for each in log if "gold-2 reason" in each], "the daemon is no administrator"
    assert [each for each in log if each.startswith("Created reservation=maint")]
    assert [each for each in log if "complete for maint" in each]
    assert "Processing Reconfiguration Request" in log
    (unread,) = [json.loads(line) for line in later.splitlines()]
    assert unread["unread"] == "transactions", "nothing is of the future, and a database that is off is said"
