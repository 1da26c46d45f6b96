"""For each alert: series with which it fires, the labels that it then has, and series with which it stays quiet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Series = Mapping[str, str]
"""Values of each series, one a minute, in promtool's notation: `0x30` is thirty-one zeros, `0+1x30` counts."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    alert: str
    bad: Series
    fires: Mapping[str, str]
    """Labels of the firing alert, without its name and severity."""
    good: Sequence[Series]
    minutes: int = 30


def _head(name: str, value: str, labels: str = "") -> Series:
    return {f'{name}{{instance="head",job="head"{labels}}}': value}


def _elastic(name: str, value: str, labels: str = "", job: str = "elastic") -> Series:
    return {f'{name}{{instance="head",job="{job}"{labels}}}': value}


def _node(name: str, value: str, labels: str = "") -> Series:
    return {f'{name}{{instance="debug-1",job="nodes",queue="debug"{labels}}}': value}


def _login(name: str, value: str, labels: str = "") -> Series:
    return {f'{name}{{instance="login-10-20-1-5",job="login",role="login"{labels}}}': value}


def _filesystem(available: str) -> Series:
    labels = ',mountpoint="/var/lib/hpc",fstype="ext4",device="/dev/sdb"'
    return _head("node_filesystem_avail_bytes", available, labels) | _head(
        "node_filesystem_size_bytes", "100x60", labels
    )


def _root_of_login_node(available: str) -> Series:
    labels = ',mountpoint="/",fstype="ext4"'
    return _login("node_filesystem_avail_bytes", available, labels) | _login(
        "node_filesystem_size_bytes", "100x60", labels
    )


def _login_memory(available: str) -> Series:
    return _login("node_memory_MemAvailable_bytes", available) | _login("node_memory_MemTotal_bytes", "100x30")


def _login_up(up: str, healthy: str = "1x60") -> Series:
    return _login("up", up) | _elastic("hpc_elastic_healthy", healthy)


def _budget(spent: str, per_hour: str = "0x800") -> Series:
    return (
        _elastic("hpc_elastic_budget_dollars", "1000x800")
        | _elastic("hpc_elastic_budget_spent_dollars", spent)
        | _elastic("hpc_elastic_dollars_per_hour", per_hour)
    )


def _account_budget(spent: str, kind: str = "account") -> Series:
    labels = f',kind="{kind}",name="nlp",period="month"'
    return _head("hpc_budget_dollars", "1000x30", labels) | _head("hpc_budget_spent_dollars", spent, labels)


def _waiting(nodes: str, free: str) -> Series:
    of_queue = ',queue="debug"'
    smallest = _elastic("hpc_slurm_smallest_waiting_job_nodes", nodes, of_queue, job="slurm")
    return smallest | _elastic("hpc_elastic_nodes_free", free, of_queue)


def _machines(machines: str, nodes: Mapping[str, str]) -> Series:
    series = dict(_elastic("hpc_elastic_machines", machines, ',queue="debug"'))
    for state, count in nodes.items():
        series |= _elastic("hpc_elastic_nodes", count, f',queue="debug",state="{state}"')
    return series


def _sent(highest: str) -> Series:
    """The newest sample that Prometheus has is as old as the clock."""
    queue = _elastic(
        "prometheus_remote_storage_queue_highest_sent_timestamp_seconds", highest, _REMOTE, job="prometheus"
    )
    return queue | _elastic("prometheus_remote_storage_highest_timestamp_in_seconds", "0+60x60", job="prometheus")


_REMOTE = ',remote_name="e1",url="https://metrics.example.org"'
HEAD = {"instance": "head", "job": "head"}
ELASTIC = {"instance": "head", "job": "elastic"}
NODE = {"instance": "debug-1", "job": "nodes", "queue": "debug"}
LOGIN = {"instance": "login-10-20-1-5", "job": "login", "role": "login"}

SCENARIOS = (
    Scenario(
        alert="SlurmctldSilent",
        bad=_elastic("hpc_slurm_up", "0x30", job="slurm"),
        fires={"instance": "head", "job": "slurm"},
        good=[_elastic("hpc_slurm_up", "1x28 0", job="slurm")],
    ),
    Scenario(
        alert="ServiceDown",
        bad=_head("node_systemd_unit_state", "0x30", ',name="slurmdbd.service",state="active"'),
        fires=HEAD | {"name": "slurmdbd.service", "state": "active"},
        good=[
            _head("node_systemd_unit_state", "1x30", ',name="slurmdbd.service",state="active"'),
            _head("node_systemd_unit_state", "0x30", ',name="slurmdbd.service",state="failed"'),
        ],
    ),
    Scenario(
        alert="AccountingBehind",
        bad=_elastic("hpc_slurm_dbd_agent_queue", "5000x30", job="slurm"),
        fires={"instance": "head", "job": "slurm"},
        good=[_elastic("hpc_slurm_dbd_agent_queue", "0x25 5000x5", job="slurm")],
    ),
    Scenario(
        alert="SchedulerSlow",
        bad=_elastic("hpc_slurm_schedule_cycle_seconds", "45x30", ',scheduler="main"', job="slurm"),
        fires={"instance": "head", "job": "slurm", "scheduler": "main"},
        good=[_elastic("hpc_slurm_schedule_cycle_seconds", "2x30", ',scheduler="main"', job="slurm")],
    ),
    Scenario(
        alert="JobsWaitBesideFreeNodes",
        bad=_waiting("4x30", "4x30"),
        fires={"queue": "debug"},
        good=[_waiting("4x30", "3x30"), _waiting("4x30", "0x20 4x10")],
    ),
    Scenario(
        alert="ElasticDaemonUnhealthy",
        bad=_elastic("hpc_elastic_healthy", "0x30"),
        fires=ELASTIC,
        good=[_elastic("hpc_elastic_healthy", "1x30") | _elastic("up", "1x30")],
    ),
    Scenario(
        alert="ElasticDaemonUnhealthy",
        bad=_elastic("up", "0x30"),
        fires=ELASTIC,
        good=[_node("up", "0x30")],
    ),
    Scenario(
        alert="LaunchesRefused",
        bad=_elastic("hpc_elastic_events_total", "0x25 1x5", ',kind="refused"'),
        fires=ELASTIC | {"kind": "refused"},
        good=[_elastic("hpc_elastic_events_total", "0+1x30", ',kind="capacity"')],
    ),
    Scenario(
        alert="MachinesWithoutNode",
        bad=_machines("3x30", {"up": "2x30", "off": "5x30"}),
        fires={"queue": "debug"},
        good=[_machines("3x30", {"up": "2x30", "going": "1x30", "off": "5x30"}), _machines("0x30", {"off": "5x30"})],
    ),
    Scenario(
        alert="NodesDrained",
        bad=_elastic("hpc_elastic_nodes", "2x90", ',queue="debug",state="drained"'),
        fires=ELASTIC | {"queue": "debug", "state": "drained"},
        good=[_elastic("hpc_elastic_nodes", "9x90", ',queue="debug",state="off"')],
        minutes=90,
    ),
    Scenario(
        alert="NodesDown",
        bad=_elastic("hpc_elastic_nodes", "2x90", ',queue="debug",state="down"'),
        fires=ELASTIC | {"queue": "debug", "state": "down"},
        good=[_elastic("hpc_elastic_nodes", "9x90", ',queue="debug",state="off"') | _node("up", "0x90")],
        minutes=90,
    ),
    Scenario(
        alert="GpuError",
        bad=_node("hpc_gpu_xid_total", "0x25 1x5", ',gpu="3",xid="79"'),
        fires=NODE | {"gpu": "3", "xid": "79"},
        good=[_node("hpc_gpu_xid_total", "0x25 1x5", ',gpu="3",xid="13"')],  # a fault of the user's program
    ),
    Scenario(
        alert="GpuError",
        bad=_node("hpc_gpu_uncorrected_errors_total", "0x25 2x5", ',gpu="3"'),
        fires=NODE | {"gpu": "3"},
        good=[_node("hpc_gpu_uncorrected_errors_total", "2x30", ',gpu="3"')],
    ),
    Scenario(
        alert="GpuError",
        bad=_node("hpc_gpu_row_remap_failed", "1x30", ',gpu="3"'),
        fires=NODE | {"gpu": "3"},
        good=[_node("hpc_gpu_row_remap_failed", "0x30", ',gpu="3"')],
    ),
    Scenario(
        alert="MemoryError",
        bad=_node("node_edac_uncorrectable_errors_total", "0x25 1x5", ',controller="0"'),
        fires=NODE | {"controller": "0"},
        good=[_node("node_edac_uncorrectable_errors_total", "1x30", ',controller="0"')],
    ),
    Scenario(
        alert="FabricLinkDown",
        bad=_node("node_infiniband_state_id", "1x30", ',device="mlx5_0",port="1"'),
        fires=NODE | {"device": "mlx5_0", "port": "1"},
        good=[_node("node_infiniband_state_id", "4x30", ',device="mlx5_0",port="1"')],
    ),
    Scenario(
        alert="FabricRetransmits",
        bad=_node("hpc_fabric_retransmitted_packets_total", "0+60000x30", ',device="rdmap0",port="1"'),
        fires=NODE | {"device": "rdmap0", "port": "1"},
        good=[_node("hpc_fabric_retransmitted_packets_total", "0+60x30", ',device="rdmap0",port="1"')],
    ),
    Scenario(
        alert="FabricRetransmits",
        bad=_node("hpc_fabric_unresponsive_peer_total", "0+1x30", ',device="rdmap0",port="1"'),
        fires=NODE | {"device": "rdmap0", "port": "1"},
        good=[_node("hpc_fabric_unresponsive_peer_total", "7x30", ',device="rdmap0",port="1"')],
    ),
    Scenario(
        alert="MountMissing",
        bad=_node("hpc_mount_present", "0x30", ',mount="/home"'),
        fires=NODE | {"mount": "/home"},
        good=[_node("hpc_mount_present", "1x30", ',mount="/home"')],
    ),
    Scenario(
        alert="VolumeFull",
        bad=_filesystem("10x60"),
        fires=HEAD | {"mountpoint": "/var/lib/hpc", "fstype": "ext4", "device": "/dev/sdb"},
        good=[_filesystem("20x60")],
    ),
    Scenario(
        alert="VolumeFull",
        bad=_root_of_login_node("10x60"),
        fires=LOGIN | {"mountpoint": "/", "fstype": "ext4"},
        good=[_root_of_login_node("20x60")],
    ),
    Scenario(
        alert="VolumeReadOnly",
        bad=_login("node_filesystem_readonly", "1x30", ',mountpoint="/"'),
        fires=LOGIN | {"mountpoint": "/"},
        good=[_node("node_filesystem_readonly", "1x30", ',mountpoint="/"')],
    ),
    Scenario(
        alert="VolumeReadOnly",
        bad=_head("node_filesystem_readonly", "1x30", ',mountpoint="/var/lib/hpc"'),
        fires=HEAD | {"mountpoint": "/var/lib/hpc"},
        good=[_head("node_filesystem_readonly", "1x30", ',mountpoint="/snap/core"')],
    ),
    Scenario(
        alert="OutOfMemory",
        bad=_head("node_vmstat_oom_kill", "3x25 4x5"),
        fires=HEAD,
        good=[_node("node_vmstat_oom_kill", "0+1x30")],  # a job that takes more than it asked for
    ),
    Scenario(
        alert="OutOfMemory",
        bad=_login("node_vmstat_oom_kill", "0x25 1x5"),
        fires=LOGIN,
        good=[_login("node_vmstat_oom_kill", "1x30")],
    ),
    Scenario(
        alert="LoginNodeMemoryShort",
        bad=_login_memory("4x30"),
        fires=LOGIN,
        good=[_login_memory("40x30"), _login_memory("4x19 40x1 4x8")],
    ),
    Scenario(
        alert="LoginNodeSilent",
        bad=_login_up("0x60"),
        fires=LOGIN,
        good=[
            _login_up("1x11 0x18"),
            _login_up("_x11 0x18"),  # it boots
            _login_up("0x27 stale"),  # it has been replaced
            _login_up("0x60", healthy="0x60"),  # it may no longer exist
        ],
    ),
    Scenario(
        alert="MemoryShort",
        bad=_head("node_memory_MemAvailable_bytes", "4x30") | _head("node_memory_MemTotal_bytes", "100x30"),
        fires=HEAD,
        good=[_head("node_memory_MemAvailable_bytes", "40x30") | _head("node_memory_MemTotal_bytes", "100x30")],
    ),
    Scenario(
        alert="ClockNotSynchronized",
        bad=_node("node_timex_sync_status", "0x30"),
        fires=NODE,
        good=[_node("node_timex_sync_status", "0x10 1x20")],
    ),
    Scenario(
        alert="BudgetAlmostSpent",
        bad=_budget("900x30"),
        fires=ELASTIC,
        good=[_budget("700x30")],
    ),
    Scenario(  # promtool's clock begins on 1 January 1970
        alert="BudgetWillBeSpent",
        bad=_budget("0x800", per_hour="2x800"),
        fires=ELASTIC,
        good=[_budget("0x800", per_hour="1x800"), _budget("0x800", per_hour="0x600 2x200")],
        minutes=720,
    ),
    Scenario(
        alert="BudgetSpent",
        bad=_elastic("hpc_elastic_budget_stopped", "1x30"),
        fires=ELASTIC,
        good=[_elastic("hpc_elastic_budget_stopped", "0x30")],
    ),
    Scenario(
        alert="AccountBudgetAlmostSpent",
        bad=_account_budget("810x30"),
        fires=HEAD | {"kind": "account", "name": "nlp", "period": "month"},
        good=[_account_budget("790x30"), _account_budget("900x30", kind="person")],
    ),
    Scenario(
        alert="AccountBudgetSpent",
        bad=_account_budget("960x30", kind="organization"),
        fires=HEAD | {"kind": "organization", "name": "nlp", "period": "month"},
        good=[_account_budget("940x30"), _account_budget("1000x30", kind="person")],
    ),
    Scenario(
        alert="MonitoringBroken",
        bad=_elastic("prometheus_config_last_reload_successful", "0x30", job="prometheus"),
        fires={"instance": "head", "job": "prometheus"},
        good=[_elastic("prometheus_config_last_reload_successful", "1x30", job="prometheus")],
    ),
    Scenario(
        alert="MonitoringBroken",
        bad=_elastic("prometheus_rule_evaluation_failures_total", "0+1x30", job="prometheus"),
        fires={"instance": "head", "job": "prometheus"},
        good=[_node("up", "0x30")],
    ),
    Scenario(
        alert="MonitoringBroken",
        bad=_elastic("prometheus_sd_http_failures_total", "0+1x30", job="prometheus"),
        fires={"instance": "head", "job": "prometheus"},
        good=[_elastic("prometheus_sd_http_failures_total", "0x14 0+1x5 5x10", job="prometheus")],
    ),
    Scenario(
        alert="MonitoringBroken",
        bad=_elastic("up", "0x30", job="alertmanager"),
        fires={"instance": "head", "job": "alertmanager"},
        good=[_node("up", "0x30")],
    ),
    Scenario(
        alert="AlertsNotSent",
        bad=_elastic("alertmanager_notifications_failed_total", "0+1x30", ',integration="email"', job="alertmanager"),
        fires={"instance": "head", "job": "alertmanager", "integration": "email"},
        good=[
            _elastic("alertmanager_notifications_failed_total", "9x30", ',integration="email"', job="alertmanager")
        ],
    ),
    Scenario(
        alert="RemoteWriteFails",
        bad=_elastic("prometheus_remote_storage_samples_failed_total", "0+9x30", _REMOTE, job="prometheus"),
        fires={"instance": "head", "job": "prometheus", "remote_name": "e1", "url": "https://metrics.example.org"},
        good=[
            # permissions that take a few minutes to spread
            _elastic("prometheus_remote_storage_samples_failed_total", "0x10 0+9x3 27x20", _REMOTE, job="prometheus"),
        ],
    ),
    Scenario(
        alert="RemoteWriteFails",
        bad=_sent("0+60x10 600x50"),
        fires={"instance": "head", "job": "prometheus", "remote_name": "e1", "url": "https://metrics.example.org"},
        good=[_sent("0+60x60"), _sent("0+60x10 600x9 1200+60x30")],
        minutes=50,
    ),
)
