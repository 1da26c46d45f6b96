"""The steps that make names of nodes known, on systems that resolve names in one way and another."""

from collections.abc import Callable

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

DROP_IN = "etc/systemd/system/systemd-resolved.service.d/hpc.conf"
STUB = "run/systemd/resolve/stub-resolv.conf"


def test_the_forwarder_runs_before_anybody_is_led_to_it(sandbox: Make) -> None:
    for role in ("head", "login", "compute"):
        box = sandbox(role)
        box.step("common/names.sh", "names")
        assert box.read("running").split() == ["hpc-names", "systemd-resolved"]
        assert "DNS=127.0.0.1:10053\n" in box.read("etc/systemd/resolved.conf.d/hpc.conf")
        assert "server=/lab.hpc.internal/10.90.64.20\n" in box.read("etc/hpc/names.conf")


def test_the_head_node_s_forwarder_alone_knows_nodes_that_are_off(sandbox: Make) -> None:
    for role in ("head", "login", "compute"):
        box = sandbox(role)
        box.step("common/names.sh", "names")
        assert ("hostsdir=/var/lib/hpc/names-off\n" in box.read("etc/hpc/names.conf")) == (role == "head")


def test_the_network_s_servers_stay_where_systemd_resolved_is_new(sandbox: Make) -> None:
    """Its package leaves what /etc/resolv.conf was for as long as it does not run."""
    box = sandbox("compute")
    box.write(STUB, "search example.org\nnameserver 127.0.0.1\nnameserver 10.90.0.2\nnameserver 10.90.0.3\n")
    box.fake("ip", "echo default via 10.90.64.1 dev ens5 proto dhcp src 10.90.64.101 metric 100")
    box.step("common/names.sh", "names")
    assert box.read(DROP_IN) == "[Service]\nExecStartPost=-/usr/bin/resolvectl dns ens5 10.90.0.2 10.90.0.3\n"
    assert (box.root / "etc/resolv.conf").readlink().name == "stub-resolv.conf"


def test_systemd_resolved_that_runs_knows_the_network_s_servers_itself(sandbox: Make) -> None:
    box = sandbox("compute")
    box.write("running", "systemd-resolved\n")
    box.write(STUB, "nameserver 127.0.0.53\n")
    box.step("common/names.sh", "names")
    assert not (box.root / DROP_IN).exists()


def test_run_again_names_change_nothing(sandbox: Make) -> None:
    box = sandbox("head")
    box.write(STUB, "nameserver 10.90.0.2\n")
    for step in (("head/names.sh", "name_server"), ("common/names.sh", "names")):
        assert "started" in box.step(*step)
        assert box.step(*step) == ""


def test_a_dnsmasq_that_keeps_old_names_reads_all_again(sandbox: Make) -> None:
    """Red Hat Enterprise Linux 9 has such a version, 2.85."""
    box = sandbox("head")
    box.fake("dnsmasq", "echo 'Dnsmasq version 2.85  Copyright (c) 2000-2021 Simon Kelley'")
    box.step("head/names.sh", "name_server")
    box.step("common/names.sh", "names")
    served, forwarded = box.read("etc/hpc/name-server.conf"), box.read("etc/hpc/names.conf")
    assert "addn-hosts=/var/lib/hpc/names\n" in served
    assert "addn-hosts=/var/lib/hpc/names-off\n" in forwarded
    assert "fast-dns-retry=" not in forwarded
    assert "hpc-names-dropped.path" in box.read("running")


def test_the_daemon_may_write_names_and_the_name_server_read_them(sandbox: Make) -> None:
    box = sandbox("head")
    box.step("head/names.sh", "name_server")
    made = box.run("stat", "-c", "%U %a", "/var/lib/hpc/names", "/var/lib/hpc/names-off").stdout
    assert made == "slurm 755\n" * 2
    assert box.read("running") == "hpc-name-server\n"


def test_dnsmasq_takes_both_files(sandbox: Make) -> None:
    box = sandbox("head")
    box.step("head/names.sh", "name_server")
    box.step("common/names.sh", "names")
    for name in ("names", "name-server"):
        run = box.run("dnsmasq", "--test", f"--conf-file=/etc/hpc/{name}.conf")
        assert (run.returncode, run.stdout) == (0, "dnsmasq: syntax check OK.\n")
