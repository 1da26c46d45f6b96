"""What `hpc-metrics` writes, from the files of a node that is made up."""

import re
from pathlib import Path

import pytest

from hpc_components.textfile import MAX_SERIES_OF_METRIC, Metric, write, written
from hpc_components.watch.node.fabric import fabric_metrics
from hpc_components.watch.node.gpu import gpu_metrics
from hpc_components.watch.node.system import system_metrics

STAT = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 50 0 25 400 25 0 0 0 0 0\ncpu1 50 0 25 400 25 0 0 0 0 0\nctxt 7\n"
FSTAB = """\
UUID=1 / ext4 defaults 0 1
# hpc begin home
fs-1:/ /home nfs4 defaults 0 0
# hpc end home
# hpc begin lustre
10.0.0.1@tcp:/x /scratch lustre defaults 0 0
# hpc end lustre
/dev/x /mine ext4 defaults 0 0
"""
GPUS = """\
0, 00000000:3B:00.0, 97, 70000, 81559, 61, 650.12, 0, 0
1, 00000000:5E:00.0, 0, 4, 81559, 40, [N/A], 2, Yes
"""
LOG = """\
NVRM: Xid (PCI:0000:5e:00): 79, pid=1, GPU has fallen off the bus.
NVRM: Xid (PCI:0000:5e:00): 79, GPU has fallen off the bus.
NVRM: Xid (PCI:0000:3b:00): 13, pid=7, Graphics Exception
NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 95, Uncontained error
"""


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "proc/stat", STAT)
    put(tmp_path, "proc/mounts", "fs-1:/ /home nfs4 rw 0 0\n")
    put(tmp_path, "etc/fstab", FSTAB)
    return tmp_path


def lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if not line.startswith("#")}


def test_cpus_have_one_series_for_each_mode(root: Path) -> None:
    found = lines(written(system_metrics(root)))
    assert {'hpc_cpu_seconds_total{mode="user"} 1', 'hpc_cpu_seconds_total{mode="idle"} 8', "hpc_cpus 2"} <= found


def test_only_mounts_of_the_cluster_are_expected(root: Path) -> None:
    found = {line for line in lines(written(system_metrics(root))) if "mount" in line}
    assert found == {'hpc_mount_present{mount="/home"} 1', 'hpc_mount_present{mount="/scratch"} 0'}


@pytest.mark.parametrize("directory", ["proc/fs/lustre", "sys/kernel/debug/lustre"])
def test_bytes_of_lustre_are_read(root: Path, directory: str) -> None:
    stats = (
        "snapshot_time 1.2 secs.nsecs\nread_bytes 5 samples [bytes] 4096 1048576 3000000 9\nopen 7 samples [usecs]\n"
    )
    put(root, f"{directory}/llite/scratch-ffff8881/stats", stats)
    assert 'hpc_lustre_bytes_total{filesystem="scratch",direction="read"} 3000000' in lines(
        written(system_metrics(root))
    )


def test_counters_of_efa_and_infiniband_are_read(root: Path) -> None:
    efa, mlx = (
        "sys/class/infiniband/{}/ports/1/hw_counters/{}".format(device, "{}") for device in ("rdmap0", "mlx5_0")
    )
    for name, value in {
        "tx_bytes": 10,
        "rdma_read_bytes": 20,
        "retrans_pkts": 3,
        "unresponsive_remote_events": 1,
    }.items():
        put(root, efa.format(name), f"{value}\n")
    put(root, mlx.format("packet_seq_err"), "5\n")
    assert lines(written(fabric_metrics(root))) == {
        'hpc_fabric_bytes_total{device="rdmap0",port="1",direction="sent"} 10',
        'hpc_fabric_bytes_total{device="rdmap0",port="1",direction="rdma_read"} 20',
        'hpc_fabric_retransmitted_packets_total{device="mlx5_0",port="1"} 5',
        'hpc_fabric_retransmitted_packets_total{device="rdmap0",port="1"} 3',
        'hpc_fabric_unresponsive_peer_total{device="rdmap0",port="1"} 1',
    }


def test_gpus_and_their_errors_are_read() -> None:
    found = lines(written(gpu_metrics(lambda command: GPUS if command[0] == "nvidia-smi" else LOG)))
    assert {
        'hpc_gpu_busy_ratio{gpu="0"} 0.97', 'hpc_gpu_memory_bytes{gpu="0"} 85520809984',
        'hpc_gpu_uncorrected_errors_total{gpu="1"} 2', 'hpc_gpu_row_remap_failed{gpu="1"} 1',
        'hpc_gpu_xid_total{gpu="1",xid="79"} 2', 'hpc_gpu_xid_total{gpu="0",xid="13"} 1',
        'hpc_gpu_xid_total{gpu="0",xid="95"} 1',
    } <= found  # fmt: skip
    assert not [line for line in found if line.startswith('hpc_gpu_watts{gpu="1"')]


def test_a_node_without_gpus_has_no_such_metrics() -> None:
    assert written(gpu_metrics(lambda command: "")) == ""


def test_series_are_bounded_whatever_a_driver_lists() -> None:
    metric = Metric("hpc_x", "gauge", "X.", tuple(({"a": str(number)}, 1.0) for number in range(2000)))
    assert len(lines(written([metric]))) == MAX_SERIES_OF_METRIC


def test_label_values_are_escaped() -> None:
    text = written([Metric("hpc_x", "gauge", "X.", (({"mount": '/a "b"\\c'}, 1.0),))])
    assert re.search(r'mount="/a \\"b\\"\\\\c"', text)


def test_the_file_is_replaced_at_once(tmp_path: Path) -> None:
    file = tmp_path / "hpc.prom"
    write(file, "a 1\n")
    with open(file) as old:
        write(file, "a 2\n")
        assert old.read() == "a 1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["hpc.prom"]
