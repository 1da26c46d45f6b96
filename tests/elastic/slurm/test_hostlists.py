import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic.slurm.hostlists import expand, fold

NAMES = st.sets(st.from_regex(r"[a-z]{1,3}(-[a-z0-9]{1,2})?-(0|[1-9][0-9]{0,3})|login", fullmatch=True), min_size=1)


@pytest.mark.parametrize(
    ("hostlist", "names"),
    [
        ("q-1", ["q-1"]),
        ("q-[1-3,7],login", ["q-1", "q-2", "q-3", "q-7", "login"]),
        ("q-[008-010]", ["q-008", "q-009", "q-010"]),
        ("a[1-2]b[3,5]", ["a1b3", "a1b5", "a2b3", "a2b5"]),
        ("a[1-2]-ib,b", ["a1-ib", "a2-ib", "b"]),
        ("", []),
    ],
)
def test_a_host_list_is_expanded(hostlist, names):
    assert list(expand(hostlist)) == names


@pytest.mark.parametrize("hostlist", ["q-[1-", ",q-1", "q-1,,q-2", "q-[a-b]", "q-[]", "q-1,"])
def test_what_is_no_host_list_is_refused(hostlist):
    with pytest.raises(ValueError, match="host list"):
        expand(hostlist)


@given(NAMES)
def test_what_is_folded_is_expanded_to_the_same(names):
    assert set(expand(fold(names))) == names


def test_names_are_folded_as_short_as_they_can_be():
    assert fold(["q-3", "q-1", "q-2", "q-10", "r-1", "login", "q-1"]) == "login,q-[1-3,10],r-1"


@pytest.mark.skipif(shutil.which("scontrol") is None, reason="scontrol is not installed (Debian: slurm-client)")
@pytest.mark.parametrize("hostlist", ["q-[1-3,7],login", "q-[008-010]", "a[1-2]b[3,5]", "c-d-[98-101],a[1-2]"])
def test_slurm_expands_it_to_the_same(hostlist, tmp_path):
    (tmp_path / "slurm.conf").write_text("ClusterName=x\nSlurmctldHost=x\n")
    environment = {"PATH": "/usr/bin", "SLURM_CONF": str(tmp_path / "slurm.conf")}
    shown = subprocess.check_output(["scontrol", "show", "hostnames", hostlist], env=environment, text=True)
    assert shown.split() == list(expand(hostlist))
