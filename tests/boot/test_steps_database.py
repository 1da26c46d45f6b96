"""The head node's own database, made once on the state volume."""

from collections.abc import Callable

from .sandbox import Sandbox

INSTALL = """
for argument; do case $argument in --datadir=*) data=${argument#*=} ;; esac; done
mkdir "$data/mysql" # as the real one does first
[[ -e /power ]] || { touch /power; exit 1; }
touch "$data/mysql/whole"
"""


def test_a_database_that_was_half_made_is_made_again(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox("head", **{"common/cluster.env": "HPC_ACCOUNTING=local\n"})
    box.fake("mariadb-install-db", INSTALL)
    box.fake("mariadb", "cat >/dev/null")
    box.fake("install", "mkdir -p ${!#}")  # not every machine that tests has a user mysql
    box.fake("stat", "echo mysql")
    box.failing("head/accounting.sh", "database")
    assert not (box.root / "var/lib/hpc/mysql").exists()
    for _ in range(2):
        box.step("head/accounting.sh", "database")
        assert (box.root / "var/lib/hpc/mysql/mysql/whole").exists()
        assert not (box.root / "var/lib/hpc/mysql.new").exists()
