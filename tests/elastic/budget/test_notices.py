"""Which notices are due, once each; and the webhook, against a real server."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue

import pytest

from elastic.cycle.stubs import StubSpending
from hpc_components.elastic.budget.budget import Budget
from hpc_components.elastic.budget.record import BudgetRecord
from hpc_components.elastic.budget.webhook import Webhook
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.money import NANO_PER_USD

USD = NANO_PER_USD
NOVEMBER_16, DECEMBER_1 = 1_794_787_200.0, 1_796_083_200.0
WAIT = 60.0


class Chat:
    """A chat program's server: what it was told, and how it answers."""

    def __init__(self) -> None:
        self.told: SimpleQueue[str] = SimpleQueue()
        self.status = 200
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.answered: SimpleQueue[int] = SimpleQueue()


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    chat = Chat()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Content-Type"] == "application/json"
            chat.told.put(body["text"])
            chat.goes_on.wait(WAIT)
            self.send_response(chat.status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with serving(Handler) as port:
        (tmp_path / "webhook").write_text(f"http://127.0.0.1:{port}/hooks/T0P-SECRET\n")
        yield chat


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


class Office:
    """A budget of 100 USD whose cycles pass one by one."""

    def __init__(self, folder: Path, *, stop: bool = True) -> None:
        self.folder = folder
        self.config = BudgetConfig(monthly=100 * USD, stop_launches=stop, alert_at=(50, 80, 100), webhook=True)
        self.spending = StubSpending()
        self.now = NOVEMBER_16
        self.start()

    def start(self) -> None:
        self.webhook = Webhook(self.folder / "webhook")
        record = BudgetRecord(self.folder / "budget.json")
        self.budget = Budget("cfd", self.config, self.spending, record, self.webhook)

    def look(self, usd: float, *, now: float | None = None) -> list[str]:
        """A cycle in which so much is spent. Return its news."""
        self.now = now or self.now + 5
        self.spending.spent = int(usd * USD)
        self.budget.look(self.now)
        return self.budget.news

    def settle(self, usd: float) -> list[str]:
        """Cycles until the notice under way is answered. Return the news of the last."""
        for thread in threading.enumerate():
            if thread.name == "webhook":
                thread.join(WAIT)
        return self.look(usd)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_each_threshold_is_told_once_in_a_month_even_after_a_restart(chat, office):
    office.look(49)
    office.look(50)
    (news,) = office.settle(50)
    words = "Cluster cfd has spent 50 % of its budget for November: 50 USD of 100 USD, and now spends 0 USD an hour."
    assert chat.told.get(timeout=WAIT) == words
    assert news == f"told the webhook: {words}"
    office.start()
    office.look(50)
    assert office.settle(50) == []
    office.look(81)
    office.settle(81)
    assert "81 %" in chat.told.get(timeout=WAIT)
    office.look(50, now=DECEMBER_1)
    office.settle(50)
    assert "December" in chat.told.get(timeout=WAIT)
    assert chat.told.empty()


def test_the_stop_settles_everything_below_it(chat, office):
    office.look(100)
    office.settle(100)
    assert chat.told.get(timeout=WAIT) == (
        "Cluster cfd launches nothing now: the cluster's budget of 100 USD for November is spent; renews on "
        "1 December, 0:00 UTC. Running jobs finish, all others wait."
    )
    office.look(110)
    office.settle(110)
    assert chat.told.empty()


def test_a_forecast_above_the_last_threshold_is_told(chat, tmp_path):
    office = Office(tmp_path)
    office.now += 86400  # more than half of the month is over
    office.look(49)
    assert office.settle(49) == []
    office.now -= 7 * 86400
    office.look(49)
    office.settle(49)
    assert chat.told.get(timeout=WAIT).endswith("If the month goes on as it has so far, it will cost 163.33 USD.")


def test_a_raised_budget_has_thresholds_of_its_own(chat, office):
    office.look(80)
    office.settle(80)
    chat.told.get(timeout=WAIT)
    office.config = BudgetConfig(monthly=160 * USD, alert_at=(50, 80, 100), webhook=True)
    office.start()
    office.look(80)
    office.settle(80)
    assert "50 % of its budget for November: 80 USD of 160 USD" in chat.told.get(timeout=WAIT)


def test_a_server_that_fails_is_tried_again_later_and_named_once_without_its_address(chat, office):
    chat.status = 503
    office.look(50)
    (news,) = office.settle(50)
    assert news.endswith("the webhook answered with HTTP status 503")
    assert "SECRET" not in news
    chat.told.get(timeout=WAIT)
    for seconds, tried in ((59, False), (61, True), (100, False), (150, True)):
        office.look(50, now=office.now + seconds) if tried else office.look(50)
        assert office.settle(50) == []
        assert chat.told.empty() is not tried
        if tried:
            chat.told.get(timeout=WAIT)
    chat.status = 204
    office.look(50, now=office.now + 3600)
    (news,) = office.settle(50)
    assert news.startswith("told the webhook")


def test_a_server_that_does_not_answer_stops_no_cycle(chat, office):
    chat.goes_on.clear()
    office.look(50)
    chat.told.get(timeout=WAIT)
    for usd in (60, 70, 100):
        office.look(usd)
    assert office.budget.news == ["launches stop: " + office.budget.look(office.now).why]
    chat.goes_on.set()
    office.settle(100)
    office.settle(100)
    assert "launches nothing now" in chat.told.get(timeout=WAIT)


def test_a_notice_that_was_not_answered_before_a_crash_is_sent_again(chat, office):
    chat.goes_on.clear()
    office.look(50)
    first = chat.told.get(timeout=WAIT)
    office.start()
    chat.goes_on.set()
    office.look(50)
    assert chat.told.get(timeout=WAIT) == first


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (None, "No such file or directory"),
        ("file:///etc/shadow", "does not contain the address of a webhook"),
        ("http://127.0.0.1:9/T0P-SECRET", "does not answer: [Errno 111] Connection refused"),
        ("https://", "does not answer: no host given"),
        ("http://[::1/T0P-SECRET", "ValueError"),
    ],
)
def test_an_address_that_can_not_work_is_named_without_itself(tmp_path, address, words):
    if address:
        (tmp_path / "webhook").write_text(address)
    office = Office(tmp_path)
    office.look(50)
    (news,) = office.settle(50)
    assert words in news
    assert "SECRET" not in news
