import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hpc_components.elastic.config import Config, ConfigError, load_config
from hpc_components.elastic.daemon.control_socket import SOCKET, ControlSocket, NotRunningError, ask
from hpc_components.elastic.ledger_command import add_ledger

if TYPE_CHECKING:
    from hpc_components.elastic.budget.budget import Budget
    from hpc_components.elastic.drivers.contract import Driver
    from hpc_components.elastic.ledger.ledger import Ledger
    from hpc_components.elastic.report.status import Status

CONFIG = Path("/etc/hpc/elastic.json")
PRICES = Path("/etc/hpc/prices.json")
STATE = Path("/var/lib/hpc/elastic")

EXAMPLES = """\
examples:
  hpc-elastic status                          what the daemon sees, does and waits for
  hpc-elastic status --format json | jq .queues
  hpc-elastic check                           check configuration, Slurm and cloud; changes nothing
  hpc-elastic run --metrics 127.0.0.1:9818    the daemon, with metrics for Prometheus at /metrics
  journalctl -u hpc-elastic -f                the daemon's log
  hpc-elastic ledger export > november.tar.gz costs and jobs of this month, for `hpc bill`

exit codes: 0 success, 1 error (see the message), 2 wrong usage or configuration, 3 the daemon is not running
"""

COLUMNS = """\
What the daemon sees, does and waits for. Numbers of nodes per queue:
  wanted    needed by Slurm: up + coming
  up        registered, idle or running jobs
  coming    waiting for their machines; `asked` counts those that the cloud does not list yet
  going     powered down by Slurm
  drained   accept no new jobs
  down      unavailable: no capacity, no response, or set down by an administrator
  machines  machines that the cloud runs and bills
  max       maximum of the queue
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.do(options)
    except ConfigError as error:
        return _fail(2, f"{options.config}: {error}")
    except ValueError as error:
        return _fail(1, str(error))
    except ModuleNotFoundError as error:  # an upgrade may be under way; systemd restarts the daemon
        return _fail(1, f"the Python module {error.name} is not installed (Debian and Ubuntu: python3-{error.name})")
    except NotRunningError as error:
        return _fail(3, f"{error}; see `systemctl status hpc-elastic`")
    except OSError as error:
        return _fail(1, str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hpc-elastic", description="Launches machines when jobs are waiting for nodes, "
"and terminates idle machines.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    about = (
        "Runs the daemon, which compares what Slurm needs with what the cloud is running, and acts on the difference."
    )
    run = commands.add_parser("run", help="run the daemon (normally started by systemd)", description=about)
    run.add_argument("config", nargs="?", type=Path, default=CONFIG, metavar="CONFIG", help=f"default: {CONFIG}")
    run.add_argument("--metrics", metavar="HOST:PORT", help="serve metrics for Prometheus there, e.g. 127.0.0.1:9818")
    run.add_argument(
        "--log", choices=("text", "json"), default="text", help="log format: text for people, or json for programs"
    )
    run.set_defaults(do=_run)

    status = commands.add_parser(
        "status", help="show what the daemon sees, does and waits for", description=COLUMNS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    status.add_argument("--format", choices=("text", "json"), default="text")
    status.set_defaults(do=_status)

    about = (
        "Runs as root on a compute node. Drains the node on a spot or maintenance notice, and requeues its "
        "jobs before a spot machine is reclaimed."
    )
    watch = commands.add_parser("watch", help="act on the cloud's notices (on a compute node)", description=about)
    watch.add_argument(
        "cloud",
        nargs="?",
        default="",
        metavar="CLOUD",
        help="default: the only cloud whose driver is in this archive",
    )
    watch.set_defaults(do=_watch)

    about = "Compares the configuration with Slurm and the cloud. Changes nothing."
    check = commands.add_parser(
        "check", help="check whether the configuration matches Slurm and the cloud", description=about
    )
    check.add_argument("config", nargs="?", type=Path, default=CONFIG, metavar="CONFIG", help=f"default: {CONFIG}")
    check.set_defaults(do=_check)
    add_ledger(commands, CONFIG, STATE / "ledger", _load)
    return parser


def _run(options: argparse.Namespace) -> int:
    from hpc_components.elastic.daemon.log import as_json, as_text, only_json, say

    if options.log == "json":
        only_json()
    from hpc_components.elastic.act.calls import LaunchCalls
    from hpc_components.elastic.clock import Clock
    from hpc_components.elastic.daemon.cycle import Cycle
    from hpc_components.elastic.daemon.loop import Daemon
    from hpc_components.elastic.daemon.start import connected
    from hpc_components.elastic.daemon.systemd import WARNING
    from hpc_components.elastic.drivers import connect
    from hpc_components.elastic.journal.file import Journal
    from hpc_components.elastic.ledger.file import LedgerFiles
    from hpc_components.elastic.ledger.ledger import Ledger
    from hpc_components.elastic.ledger.spot import SpotPrices
    from hpc_components.elastic.report.events import EventKind
    from hpc_components.elastic.report.status import Status
    from hpc_components.elastic.report.targets import Targets
    from hpc_components.elastic.slurm.name_table import NameTable
    from hpc_components.elastic.slurm.registrations import Registrations
    from hpc_components.elastic.slurm.scontrol import Scontrol

    config = _load(options.config)
    state = Path(os.environ.get("STATE_DIRECTORY", STATE))
    clock = Clock()
    journal = Journal(state / "journal.json", clock)
    status = Status(config, clock)
    calls = LaunchCalls(lambda: daemon.again())
    slurm = Scontrol()
    show = as_json if options.log == "json" else as_text

    def wait_for_cloud(words: str) -> None:
        say(show, WARNING, time.time(), EventKind.CLOUD_AWAY.value, "", words)

    driver = connected(lambda: connect(config), wait_for_cloud)
    spot = SpotPrices(config, driver, clock)
    files = LedgerFiles(state / "ledger")
    ledger = Ledger(files, PRICES, clock, driver.limits, spot, earlier=journal.found)
    cycle = Cycle(config, driver, slurm, journal, clock, calls, ledger, _budget(config, ledger, state))
    names = NameTable(state.parent / "names" / "nodes", state.parent / "names-off" / "nodes")

    def keep(addresses: Mapping[str, str], off: Collection[str]) -> None:
        try:
            names.publish(addresses, off)
        finally:  # even if the disk is full, slurmctld must save its state
            if addresses:
                slurm.save_nodes(*next(iter(addresses.items())))

    registrations = Registrations(
        slurm.nodes,
        keep,
        report=lambda error: daemon.slurm_away(error),
        unpublished=lambda error: daemon.unpublished(error),
    )
    targets = Targets(state.parent / "targets" / "nodes.json")
    daemon = Daemon(cycle, status, registrations, show, targets.follow)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: daemon.stop())
    with closing(ControlSocket(SOCKET, daemon.wake, status.document, registrations.when_up)):
        if options.metrics:
            _serve_metrics(options.metrics, _pages(status, driver))
        daemon.run()
    return 0


def _pages(status: "Status", driver: "Driver") -> Mapping[str, Callable[[], str]]:
    """Return what is served to Prometheus, by path."""
    from hpc_components.elastic.drivers.contract import LoginNodesListed
    from hpc_components.elastic.report.metrics import LOGIN_TARGETS, as_prometheus
    from hpc_components.elastic.report.slurm_metrics import SlurmMetrics
    from hpc_components.elastic.report.targets import login_targets
    from hpc_components.elastic.slurm.queue_figures import read_figures
    from hpc_components.elastic.slurm.scontrol import run

    pages = {
        "/metrics": lambda: as_prometheus(status.document()),
        "/metrics/slurm": SlurmMetrics(lambda: read_figures(run)).text,
    }
    if isinstance(driver, LoginNodesListed):
        read_login_nodes = driver.login_nodes
        pages[LOGIN_TARGETS] = lambda: login_targets(read_login_nodes())
    return pages


def _budget(config: Config, ledger: "Ledger", state: Path) -> "Budget | None":
    from hpc_components.elastic.budget.budget import Budget
    from hpc_components.elastic.budget.record import BudgetRecord
    from hpc_components.elastic.budget.webhook import Webhook

    if config.budget is None:
        return None
    record = BudgetRecord(state / "budget.json")
    webhook = Webhook() if config.budget.webhook else None
    return Budget(config.cluster, config.budget, ledger.spending, record, webhook)


def _serve_metrics(address: str, pages: Mapping[str, Callable[[], str]]) -> None:
    from hpc_components.elastic.report.metrics import Exporter

    try:
        Exporter(address, pages)
    except OSError as error:  # jobs must get nodes even without metrics
        print(f"hpc-elastic: cannot serve metrics at {address}: {error.strerror}", file=sys.stderr)


def _status(options: argparse.Namespace) -> int:
    from hpc_components.elastic.report.text import as_text, trouble

    document = ask(SOCKET)
    sys.stdout.write(json.dumps(document, indent=1) + "\n" if options.format == "json" else as_text(document))
    return 1 if trouble(document) else 0


def _watch(options: argparse.Namespace) -> int:
    from hpc_components.elastic.drivers import notice_source
    from hpc_components.elastic.node.watch import watch

    watch(notice_source(options.cloud))
    return 0


def _check(options: argparse.Namespace) -> int:
    from hpc_components.elastic.daemon.check import check
    from hpc_components.elastic.drivers import connect
    from hpc_components.elastic.slurm.scontrol import Scontrol

    config = _load(options.config)
    right = True
    for fine, words in check(config, Scontrol(), connect(config)):
        print(f"{'ok   ' if fine else 'wrong'}  {words}", flush=True)
        right = right and fine
    return 0 if right else 1


def _load(path: Path) -> Config:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise ConfigError("not UTF-8") from None
    return load_config(text)


def _fail(code: int, words: str) -> int:
    print(f"hpc-elastic: error: {words}", file=sys.stderr)
    return code
