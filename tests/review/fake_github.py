"""GitHub's API for comments of one pull request, as far as reviews use it."""

import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from serving import HttpServer

BOT = "github-actions[bot]"
_AUTHORS = {"bot": BOT, "fork": BOT, "app": "acme[bot]", "ada": "ada"}
_COMMENTS = "/repos/acme/clusters/issues/7/comments"


@dataclass
class FakeGitHub:
    """Answers tokens `bot` (a workflow's own), `app` (of another app), `ada` (a person's) and `fork` (may only read).

    Any other token is not valid.
    """

    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each call."""
    most: int = 100
    """Comments a page."""
    refuses: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    """By method: status, headers and text of what answers each such request instead, but for GraphQL."""

    def write(self, text: str, author: str = BOT) -> dict[str, Any]:
        """Put a comment there."""
        self.comments.append({"id": 1000 + len(self.comments), "body": text, "user": {"login": author}})
        return self.comments[-1]

    @staticmethod
    def workflow(server: HttpServer, folder: Path) -> dict[str, str]:
        """The environment of a job that runs for pull request 7, with its files in `folder`."""
        (folder / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
        url = f"http://127.0.0.1:{server.server_port}"
        return {
            "GITHUB_API_URL": url,
            "GITHUB_GRAPHQL_URL": f"{url}/graphql",
            "GITHUB_REPOSITORY": "acme/clusters",
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_TOKEN": "bot",
        }

    def server(self) -> HttpServer:
        """A server that is not yet running."""
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"{}")
                token = self.headers["Authorization"].removeprefix("Bearer ")
                fake.asked.append((self.command, self.path))
                host = f"http://{self.headers['Host']}"
                code, document, links = fake._answer(self.command, self.path, body, token, host)
                text, headers = json.dumps(document).encode(), {"Link": links} if links else {}
                if self.command in fake.refuses and self.path != "/graphql":
                    code, headers, text = fake.refuses[self.command]
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        return HttpServer(("127.0.0.1", 0), Handler)

    def _answer(self, method: str, path: str, body: Any, token: str, host: str) -> tuple[int, Any, str]:
        author = _AUTHORS.get(token)
        if author is None:
            return 401, {"message": "Bad credentials"}, ""
        if (method, path, body) == ("POST", "/graphql", {"query": "{viewer {login}}"}):
            return 200, {"data": {"viewer": {"login": author}}}, ""
        if method == "GET" and (asked := re.fullmatch(rf"{_COMMENTS}\?per_page=100(?:&page=(\d+))?", path)):
            page = int(asked[1] or 1)
            shown = self.comments[(page - 1) * self.most : page * self.most]
            more = f'<{host}{_COMMENTS}?per_page=100&page={page + 1}>; rel="next", <{host}/x>; rel="last"'
            return 200, shown, more if len(self.comments) > page * self.most else ""
        if token == "fork":
            return 403, {"message": "Resource not accessible by integration"}, ""
        if method == "POST" and path == _COMMENTS:
            return 201, self.write(body["body"], author), ""
        if method == "PATCH" and (found := re.fullmatch(r"/repos/acme/clusters/issues/comments/(\d+)", path)):
            (comment,) = (each for each in self.comments if each["id"] == int(found[1]))
            comment.update(body)
            return 200, comment, ""
        return 404, {}, ""
