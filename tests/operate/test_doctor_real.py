"""`hpc doctor` on clusters that are broken: real slurmctld, slurmdbd, MariaDB, munge, hpc-elastic, ssh and sshd. The
right cause comes first, and a cluster that is well has none.
"""

import json
import signal

import pytest
from elastic.lab import end, wait
from elastic.lab.fixtures import lab  # noqa: F401

from .doctor_site import PUBLIC, Clinic, ids

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


def test_a_cluster_that_is_well_has_no_diagnosis(clinic: Clinic) -> None:
    document = clinic.examine()
    assert (document["diagnoses"], document["left_out"]) == ([], [])
    assert clinic.laptop.out("doctor", "lab") == "cluster lab: all is well\n"


def test_slurmctld_that_was_killed_is_named(clinic: Clinic) -> None:
    clinic.cluster.stop_controller()
    try:
        document = clinic.examine()
        assert ids(document) == ["slurmctld-silent"]
        (only,) = document["diagnoses"]
        assert only["commands"][-1] == "hpc run lab -- sudo systemctl restart slurmctld"
        assert {each["id"] for each in only["explains"]} <= {"elastic-stuck"}, "once the daemon has noticed"
        assert {"what": "nodes", "because": "slurmctld does not answer"} in document["left_out"]
    finally:
        clinic.cluster.start_controller()
    wait(lambda: clinic.examine()["well"])


def test_hpc_elastic_that_was_stopped_is_named(clinic: Clinic) -> None:
    clinic.stop_elastic()
    try:
        document = clinic.examine()
        assert ids(document) == ["elastic-stopped"]
    finally:
        clinic.start_elastic()


def test_munge_that_was_stopped_explains_the_rest(clinic: Clinic) -> None:
    clinic.head.run("pkill", "-KILL", "-x", "munged")
    try:
        document = clinic.examine()
        assert ids(document)[0] == "munge-stopped"
        assert {each["level"] for each in document["diagnoses"][1:]} <= {"info"}
    finally:
        clinic.head.run(
            "sh", "-c", "rm -f /run/munge/munge.socket*; setpriv --reuid=munge --regid=munge --clear-groups munged"
        )
    wait(lambda: clinic.examine()["well"])


def test_a_dead_database_explains_slurmdbd(clinic: Clinic) -> None:
    assert clinic.cluster.database
    end(clinic.cluster.database, signal.SIGKILL)
    end(clinic.cluster.slurmdbd, signal.SIGKILL)
    try:
        (only,) = clinic.examine()["diagnoses"]
        assert (only["id"], only["level"]) == ("database-stopped", "warning")
        assert [each["id"] for each in only["explains"]] == ["slurmdbd-silent"]
        clinic.cluster.start_database()
        assert ids(clinic.examine()) == ["slurmdbd-silent"]
    finally:
        clinic.cluster.start_slurmdbd()


def test_a_full_state_volume_comes_before_what_it_ended(clinic: Clinic) -> None:
    clinic.head.run("sh", "-c", "dd if=/dev/zero of=/var/lib/hpc/big bs=1M status=none || true")
    clinic.stop_elastic()
    try:
        (first, *others) = clinic.examine()["diagnoses"]
        assert (first["id"], others) == ("disk-full", [])
        assert "/var/lib/hpc is full: 0 MiB of 32 MiB" in first["what"]
        assert [each["id"] for each in first["explains"]] == ["elastic-stopped"]
        text = clinic.laptop.hpc("doctor", "lab").stdout
        assert text.startswith("cluster lab: 1 problem\n\nerror disk-full\n")
        assert "$ hpc run lab -- sudo du -xh" in text
        assert "It explains:" in text
    finally:
        clinic.head.run("rm", "/var/lib/hpc/big")
        clinic.start_elastic()


def test_a_share_that_is_gone_is_named(clinic: Clinic) -> None:
    fstab = clinic.head.run("cat", "/etc/fstab", check=False)
    clinic.head.write(
        "/etc/fstab", f"{fstab}\n# hpc begin shared\nfs-1:/ /home/shared nfs4 nofail 0 0\n# hpc end shared\n"
    )
    try:
        first = clinic.first()
        assert (first["id"], first["commands"]) == ("share-gone", ["hpc run lab -- sudo mount /home/shared"])
        clinic.head.run("sh", "-c", "mkdir -p /home/shared && mount -t tmpfs tmpfs /home/shared")
        assert clinic.examine()["well"]
        clinic.head.run("umount", "/home/shared")
    finally:
        clinic.head.write("/etc/fstab", fstab)


def test_a_clock_that_is_off_is_named(clinic: Clinic) -> None:
    clinic.head.write("/usr/local/bin/date", '#!/bin/sh\nexec /usr/bin/date -d "10 minutes ago" "$@"\n', mode="755")
    try:
        first = clinic.first()
        assert first["id"] == "clock-wrong"
        assert "s behind that of this machine" in first["what"]
    finally:
        clinic.head.run("rm", "/usr/local/bin/date")


def test_services_that_systemd_calls_failed_are_named(clinic: Clinic) -> None:
    for unit, cause in (("hpc-names.service", "names-stopped"), ("hpc-people.service", "service-stopped")):
        clinic.head.write("/etc/lab-units", f"{unit} failed\n")
        assert clinic.first()["id"] == cause
    clinic.head.run("rm", "/etc/lab-units")


def test_a_configuration_that_slurm_can_t_read_is_named(clinic: Clinic) -> None:
    result = "configuration: slurm.conf is not applied, because Slurm can't read it: error: Parsing error at: Foo=1"
    clinic.head.write("/opt/hpc/boot-steps.json", json.dumps({"result": result}))
    try:
        assert ids(clinic.examine()) == ["configuration-unreadable"]
        clinic.head.write("/opt/hpc/boot-steps.json", json.dumps({"result": "mounts: /fsx: cannot mount: no route"}))
        assert ids(clinic.examine()) == ["boot-step-failed"]
    finally:
        clinic.head.write("/opt/hpc/boot-steps.json", json.dumps({"result": "ready"}))


def test_a_munge_key_that_was_replaced_is_named(clinic: Clinic) -> None:
    clinic.head.run("sh", "-c", "head -c 128 /dev/urandom >/var/lib/hpc/keys/munge")
    try:
        assert clinic.first()["id"] == "munge-key-differs"
    finally:
        clinic.head.run("cp", "/etc/munge/munge.key", "/var/lib/hpc/keys/munge")


def test_without_sudo_the_rest_is_still_examined(clinic: Clinic) -> None:
    clinic.head.write("/etc/no-sudo", "")
    try:
        document = clinic.examine()
        assert document["diagnoses"] == []
        left_out = {each["what"]: each["because"] for each in document["left_out"]}
        assert "may not use sudo" in left_out["hpc-elastic's launches"]
    finally:
        clinic.head.run("rm", "/etc/no-sudo")


def test_a_head_node_that_is_unreachable_is_told_by_where_the_way_ends(clinic: Clinic) -> None:
    laptop = clinic.laptop

    def told(outputs, *arguments: str):
        (laptop.folder / "o.json").write_text(json.dumps(outputs))
        done = laptop.hpc("doctor", "lab", "--outputs", "o.json", "--format", "json", *arguments)
        assert (done.returncode, done.stderr) == (1, "")
        (only,) = json.loads(done.stdout)["diagnoses"]
        return only

    elsewhere = {**PUBLIC, "head_node": {**PUBLIC["head_node"], "public_ip": "10.77.9.9"}}
    gone = told(elsewhere)
    assert gone["id"] in ("network-unreachable", "no-answer")
    refused = told(PUBLIC, "--user", "nobody")
    assert refused["id"] == "key-refused"
    laptop.install("session-manager-plugin", "#!/bin/sh\n")
    missing = told({**PUBLIC, "head_node": {**PUBLIC["head_node"], "public_ip": None}})
    assert (missing["id"], missing["what"].startswith("aws is not on PATH")) == ("program-missing", True)
    known = laptop.folder / "known_hosts"
    kept = known.read_text()
    kind, key, *_ = laptop.public_key.split()  # a key that the head node does not have
    known.write_text(f"lab-head {kind} {key}\n")
    try:
        changed = told(PUBLIC)
        assert changed["id"] == "host-key-changed"
        assert changed["commands"] == ["ssh-keygen -R lab-head"]
    finally:
        known.write_text(kept)


def test_a_node_with_another_munge_key_is_told_by_slurmctld_s_log(clinic: Clinic) -> None:
    stranger = clinic.cluster.lab.host("stranger", "10.77.1.99")
    stranger.run(
        "sh", "-ec", "pkill -KILL munged; rm -f /run/munge/*; head -c 128 /dev/urandom >/etc/munge/munge.key;"
        " setpriv --reuid=munge --regid=munge --clear-groups munged",
    )  # fmt: skip
    stranger.write("/etc/slurm/slurm.conf", clinic.head.run("cat", "/etc/slurm/slurm.conf"))
    stranger.run("squeue", check=False)
    first = clinic.first()
    assert (first["id"], first["commands"]) == ("messages-refused", ["hpc run lab -- sudo /opt/hpc/bin/hpc-update"])
    assert first["what"].endswith("messages of nodes in the last hour: Invalid credential")
