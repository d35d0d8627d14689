"""A site with tables in a process of its own, and people who visit it without a browser."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

START = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
PATIENCE = 60.0  # seconds, on any machine
FORM = "application/x-www-form-urlencoded"


@contextmanager
def tables_site(*options: str) -> Generator[str]:
    """The address of a site of tables alone, without a slash at its end."""
    words = [sys.executable, "-c", START, "tables", "--port", "0", *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            assert " at http" in said, said
            yield said.split(" at ")[1].strip().rstrip("/")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
    assert process.returncode == 0


class Visitor:
    """Somebody who asks a site for things; *name* is the host that is asked for."""

    def __init__(self, site: str, name: str | None = None) -> None:
        self.netloc = urlsplit(site).netloc
        self.headers = {} if name is None else {"Host": name}

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """The status, the text and the headers of an answer."""
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE)
        try:
            sent = {key.replace("_", "-"): value for key, value in headers.items()}
            connection.request(method, path, body, {**self.headers, **sent})
            answer = connection.getresponse()
            told = {key.lower(): value for key, value in answer.getheaders()}
            return answer.status, answer.read().decode(), told
        finally:
            connection.close()

    def send(
        self, path: str, fields: list[tuple[str, str]], **headers: str
    ) -> tuple[int, str, str]:
        """The status, the text and the place that the form with *fields* leads to."""
        told = self.ask("POST", path, urlencode(fields).encode(), Content_Type=FORM, **headers)
        return told[0], told[1], told[2].get("location", "")

    def open(self, *seats: str, rules: str = "duel", **fields: str) -> str:
        """Open a table; the path of the host's page."""
        wish = [("rules", rules), ("players", str(len(seats))), *fields.items()]
        wish += [(f"seat-{number}", seat) for number, seat in enumerate(seats)]
        status, text, place = self.send("/tables/new", wish)
        assert status == 303, text
        return place

    def act(self, page: str, **order: Any) -> dict[str, Any]:
        """Do something at a table; the answer."""
        body = json.dumps(order).encode()
        _, text, _ = self.ask("POST", f"{page}/do", body, Content_Type="application/json")
        told: dict[str, Any] = json.loads(text)
        return told

    @contextmanager
    def hearing(self, page: str) -> Generator[Generator[dict[str, Any]]]:
        """The states that a page is sent, for as long as it is open."""
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE)
        try:
            connection.request("GET", f"{page}/live", headers=self.headers)
            answer = connection.getresponse()
            assert answer.status == 200
            yield _states(answer)
        finally:
            connection.close()

    def state(self, page: str) -> dict[str, Any]:
        """What a page shows when it is loaded."""
        _, text, _ = self.ask("GET", page)
        found = re.search(r'<script type="application/json" id="table-data">(.*?)</script>', text)
        assert found is not None, text
        state: dict[str, Any] = json.loads(found[1])["state"]
        return state


def _states(answer: http.client.HTTPResponse) -> Generator[dict[str, Any]]:
    while line := answer.readline():
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))
