import json
import threading
import urllib.error
import urllib.request
from pathlib import Path

ADDRESS = Path("/etc/hpc/webhook")
"""File with the address. The address is a secret, because everyone who knows it may write to the channel."""
TIMEOUT_SECONDS = 20.0
RETRY_FIRST_SECONDS, RETRY_MAX_SECONDS = 60.0, 3600.0


class Webhook:
    """Sends one notice at a time, each in its own thread, so that a slow server never delays a cycle.

    The body is `{"text": "..."}`, which incoming webhooks of chat programs accept.
    """

    def __init__(self, path: Path = ADDRESS) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._answer: str | None = None
        self._is_busy = False
        self._retry_at = 0.0
        self._pause = RETRY_FIRST_SECONDS

    def may_send(self, now: float) -> bool:
        with self._lock:
            return not self._is_busy and self._answer is None and now >= self._retry_at

    def send(self, text: str) -> None:
        with self._lock:
            self._is_busy = True
        threading.Thread(target=self._send, args=(text,), daemon=True, name="webhook").start()

    def answer(self, now: float) -> str | None:
        """Return why the last notice could not be sent, an empty string if it was sent, or None while no new answer
        has arrived.

        After a failure, nothing may be sent for a while.
        """
        with self._lock:
            answer, self._answer = self._answer, None
        if answer:
            self._retry_at, self._pause = now + self._pause, min(2 * self._pause, RETRY_MAX_SECONDS)
        elif answer == "":
            self._retry_at, self._pause = 0.0, RETRY_FIRST_SECONDS
        return answer

    def _send(self, text: str) -> None:
        try:
            words = _post(self._path, text)
        except Exception as error:  # the thread must leave an answer, or no notice would ever be sent again
            words = type(error).__name__
        with self._lock:
            self._answer, self._is_busy = words, False


def _post(path: Path, text: str) -> str:
    """Send a text. Return why it could not be sent, without the address, or an empty string."""
    try:
        address = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        return f"{path}: {error.strerror}"
    if not address.startswith(("https://", "http://")):
        return "the secret does not contain the address of a webhook, which begins with https://"
    body = json.dumps({"text": text}).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        return f"the webhook answered with HTTP status {error.code}"
    except urllib.error.URLError as error:
        return f"the webhook does not answer: {error.reason}"
    except OSError as error:
        return f"the webhook does not answer: {error}"
