"""What the head node does when accounts, or the database, are not as they should be, on real daemons."""

import re
from pathlib import Path

import pytest

from hpc_components.boot.files import boot_files
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

DESCRIBED = cluster(
    queue(),
    queue(name="gold", qos="gold"),
    slurm={
        "accounting": {
            "qos": {"gold": {"max_wall": "1h"}},
            "accounts": {"lab": {"users": ["alice"], "qos": ["gold", "normal"], "fairshare": 3}},
        }
    },
)

NODE = r"""
mkdir -p /opt/hpc/config/{common,head/slurm,head/units} /run/hpc && cd /opt/hpc/config
for each in node debian accounting; do mv /etc/slurm/$each.sh common/; done
cp /etc/slurm/sacctmgr.sh /etc/slurm/slurmdbd.conf head/slurm/
echo HPC_ACCOUNTING=local >common/cluster.env; touch head/units/slurm.conf common/cloud.sh
stop() { kill $(pidof "$1"); while pidof "$1" >/dev/null; do sleep 0.1; done; }
dbd() { setpriv --reuid=slurm --regid=slurm --init-groups slurmdbd -D >/dev/null 2>&1 9>&- & }
export -f dbd
step() { # <function>: as the runner does, but systemd is played
  bash -Eeuo pipefail -O inherit_errexit -c '
    source common/node.sh; source common/accounting.sh
    running() { pidof slurmdbd >/dev/null || dbd; }
    answers() { for _ in $(seq 30); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; return 1; }
    why() { echo "it is broken"; }
    own_database() { false; }
    "$0"' "$1" 2>&1 | sed "/^wrote/d"
  echo "status ${PIPESTATUS[0]}"
}
"""


def said(release: Release, script: str) -> list[str]:
    """What `script` writes between lines of `= <title>`, on a head node with accounts."""
    paths = ("common/node.sh", "common/debian.sh", "head/accounting.sh")
    scripts = {Path(path).name: boot_files(DESCRIBED)[path] for path in paths}
    output = release.run(DESCRIBED, NODE + script, scripts).output
    return [part.partition("\n")[2] for part in re.split("^= ", output, flags=re.M)[1:]]


WITHOUT = """
stop slurmctld && stop slurmdbd; dbd() { :; }
echo "= database";   step database
echo "= accounting"; step accounting
echo "= slurmctld"
setpriv --reuid=slurm --regid=slurm --init-groups slurmctld -D >/dev/null 2>&1 &
wait_for scontrol ping
setpriv --reuid=alice --regid=alice --init-groups sbatch -Q -D /tmp -p gold --wrap true && echo taken
echo "= limits"; step limits_of_users
echo "= a queue with a new QoS"; sed -i 's/QOS=gold/QOS=old/' /etc/slurm/slurm.conf; step accounting
echo "= new cluster"; rm /var/lib/hpc/slurmctld/assoc_mgr_state; step accounting
"""


def test_slurmctld_goes_on_without_the_database(release: Release) -> None:
    database, accounting, slurmctld, limits, new_qos, new_cluster = said(release, WITHOUT)
    broken = "slurmdbd: it is broken\n"
    assert database == "status 0\n"
    assert accounting == broken + "status 0\n"
    assert slurmctld == "taken\n"
    assert limits == broken + "status 1\n"
    assert new_qos == broken + "cannot create QoS old: slurmdbd does not answer\nstatus 1\n"
    assert new_cluster == broken + "status 1\n"


SOME_FAIL = """
sacctmgr -iQ modify account where name=lab set fairshare=7 >/dev/null
sacctmgr -iQ modify qos where name=gold set maxwall=7 >/dev/null
sacctmgr() { [[ $* != *fairshare=3* ]] || return 1; command sacctmgr "$@"; }; export -f sacctmgr
echo "= before"; step accounting
echo "= after";  step limits_of_users
echo "= found"; sacctmgr -nP show qos where name=gold format=maxwall
sacctmgr() { [[ $* != *"add qos"* ]] || return 1; command sacctmgr "$@"; }
command sacctmgr -iQ delete user alice >/dev/null; command sacctmgr -iQ delete account lab >/dev/null
command sacctmgr -iQ delete qos gold >/dev/null
echo "= before, without a QoS"; step accounting
"""


def test_a_failing_change_costs_itself_only(release: Release) -> None:
    before, after, found, without = said(release, SOME_FAIL)
    assert before == "status 0\n"
    assert after == (
        "sacctmgr.sh: failed: `sacctmgr modify account where name=lab cluster=lab set"
        " fairshare=3 qos=gold,normal defaultqos=gold`\nstatus 1\n"
    )
    assert found == "01:00:00\n"
    assert without == "sacctmgr.sh: `sacctmgr add qos gold` failed\nstatus 1\n"


PASSWORDS = (
    r"a b",
    r"x#y",
    r"#x",
    "back\\slash",
    r"two\\slashes",
    "end\\",
    r"a\#b",
    "it's",
    r"$HOME&%*",
    r"a=b;c",
    "é ",
)

PASSWORD = """
for secret in "${secrets[@]}"; do
  mariadb -e "alter user slurm@localhost identified by '$(sed "s/[\\\\']/\\\\\\\\&/g" <<<"$secret")'"
  stop slurmdbd
  { grep -v ^StoragePass head/slurm/slurmdbd.conf; echo StoragePass="$(
    bash -c 'source common/accounting.sh; quoted "$0"' "$secret")"; } >/etc/slurm/slurmdbd.conf
  dbd
  for _ in $(seq 50); do sacctmgr -n list cluster >/dev/null 2>&1 && echo "= $secret" && break; sleep 0.1; done
done
for secret in 'a"b' $'a\\nb'; do
  bash -c 'die() { echo "$@"; exit 1; }; source common/accounting.sh; quoted "$0"' "$secret"
done
"""


def test_slurmdbd_reads_any_password(release: Release) -> None:
    quoted = " ".join("'" + secret.replace("'", "'\\''") + "'" for secret in PASSWORDS)
    scripts = {"accounting.sh": boot_files(DESCRIBED)["head/accounting.sh"], "node.sh": "", "debian.sh": ""}
    output = release.run(DESCRIBED, f"{NODE}secrets=({quoted})\n{PASSWORD}true", scripts).output
    assert re.findall("^= (.*)", output, re.M) == list(PASSWORDS)
    assert output.count("the database password contains") == 2
