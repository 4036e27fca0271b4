"""The server as a program: how it starts, how it ends, and what befalls its workers."""

from __future__ import annotations

import html
import math
import os
import re
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from claimeven.arena import play_tournament
from claimeven.cli import serve
from claimeven.compiled.decorators import PLAIN
from claimeven.web.app import api_page
from claimeven.web.jobs import WARMUP_STEPS
from claimeven.web.server import address_lines, open_browser, outer_address
from claimeven.web.settings import InvalidSettings, ServerSettings
from tests import forks
from tests.cli.conftest import Run, bad_input, command, environment
from tests.web.conftest import PATIENCE, Server, eventually, running, whole_answer

#: An answer that takes as long as the server lets it.
LONG = "/api/search/minimax?agent=negamax:depth=30&moves=4&board=16x16"
#: A position that takes some time to solve.
HARD = "/api/scores?board=8x7&moves=4"


def processes_of(server: Server) -> list[int]:
    """The workers of a server."""
    return forks.children_of(server.process.pid)


def has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.usefixtures("real_starts")
@pytest.mark.parametrize(
    ("number", "status", "words"),
    [(signal.SIGTERM, -signal.SIGTERM, ""), (signal.SIGINT, 130, "\ninterrupted\n")],
)
def test_a_signal_ends_it_and_its_workers_in_the_middle_of_work(
    number: signal.Signals,
    status: int,
    words: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Neither the requests that it ends nor those that were given up leave a traceback."""
    path = tmp_path / "class.db"
    play_tournament(["random", "greedy"], rounds=2, out=path)
    half = b"POST /play HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
    paths = (HARD, HARD.replace("scores", "scores/events"), "/report", "/api/tournament")
    with running("--workers", "1", "--store", str(path), "--seconds", "60") as server:
        for _ in range(3):
            with ExitStack() as gone:
                for each in paths:
                    gone.enter_context(server.waiting_for(each))
                eventually(lambda: server.status()["busy"] == 1)
        with ExitStack() as here:
            here.enter_context(socket.create_connection(("127.0.0.1", server.port))).sendall(half)
            waits, streams, *_ = [here.enter_context(server.waiting_for(each)) for each in paths]
            eventually(lambda: server.status()["busy"] == 1)
            workers = processes_of(server)
            server.process.send_signal(number)
            assert server.process.wait(PATIENCE) == status
            answer, stream = whole_answer(waits), whole_answer(streams)
        assert answer.startswith("HTTP/1.1 503 ")
        assert "retry-after: 5\r\n" in answer
        assert answer.endswith('{"error":"the server is stopping"}')
        assert 'data: {"error": "the server is stopping", "status": 503}' in stream
        assert len(workers) >= 2  # of the searches and of the store
        eventually(lambda: all(map(has_ended, workers)))
    assert capfd.readouterr().err == words


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The addresses for the browser of the user, which only writes them down."""
    return tmp_path_factory.mktemp("browser") / "opened"


@pytest.fixture(scope="module")
def patient(opened: Path) -> Iterator[Server]:
    """A server with two workers that lets searches take long, with names, an agent, a browser."""
    browser = opened.with_name("browser")
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n', encoding="utf-8")
    browser.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BROWSER", str(browser))
        names = ("--allow-host", "lab-12", "--allow-host", "lab-13")
        proxy = ("--root-url", "https://C4.example.org:443/")
        options = ("--workers", "2", "--seconds", "60", "--open", "--agent", "alphabeta")
        with running(*options, *names, *proxy) as server:
            eventually(lambda: server.status()["ready"])
            yield server


def test_the_page_is_opened_in_the_browser_of_the_user(patient: Server, opened: Path) -> None:
    eventually(lambda: opened.is_file() and opened.read_text() == f"{patient.url}/\n")


def test_a_killed_worker_costs_only_its_request(patient: Server) -> None:
    with patient.waiting_for(HARD) as connection:
        eventually(lambda: patient.status()["busy"] == 1)
        before = processes_of(patient)
        for worker in before:
            os.kill(worker, signal.SIGKILL)
        answer = whole_answer(connection)
    assert answer.startswith("HTTP/1.1 503 ")
    assert "retry-after: 0\r\n" in answer
    assert "the worker process has stopped (signal SIGKILL): try again" in answer
    eventually(lambda: all(map(has_ended, before)))  # the idle one may take a moment longer
    assert patient.get("/api/scores", moves="4444413226712433").status == 200
    assert patient.status()["workers_lost"] == 2
    eventually(lambda: patient.status()["ready"])
    assert not set(before) & set(processes_of(patient))


def test_a_lost_client_frees_its_worker(patient: Server) -> None:
    for path in (HARD, HARD.replace("scores", "scores/events"), LONG):
        with patient.waiting_for(path):
            eventually(lambda: patient.status()["busy"] == 1)
        eventually(lambda: patient.status()["busy"] == 0)
    assert patient.get("/api/scores", moves="4444413226712433").json["complete"] is True


def test_slow_requests_do_not_delay_others(patient: Server) -> None:
    with patient.waiting_for(HARD):
        eventually(lambda: patient.status()["busy"] == 1)
        assert patient.post("/api/move", {"agent": "alphabeta:depth=2"}).status == 200
        with patient.waiting_for(HARD + "4"):
            eventually(lambda: patient.status()["busy"] == 2)
            # A request without a search does not wait for one.
            assert patient.get("/api/scores", moves="4455").json["from_book"] is True
            assert patient.get("/api/position", moves="4455").status == 200
            assert patient.status()["busy"] == 2


def test_it_answers_under_the_names_and_plays_the_agent_that_were_given(patient: Server) -> None:
    asked = {
        "board": "7x6", "connect": 4, "position": "/".join(["......."] * 6), "turn": 1,
        "legal": [1, 2, 3, 4, 5, 6, 7], "limit": {"depth": 2},
    }  # fmt: skip
    hosts = ("lab-12", "lab-13", "lab-14")
    statuses = [patient.ask("GET", "/api/status", Host=host).status for host in hosts]
    assert statuses[:2] == [200, 200]
    assert statuses[2] >= 400
    proxied = {"host": "c4.example.org", "origin": "https://c4.example.org"}
    assert patient.ask("POST", "/lund/stats", b"stil_id=a", **proxied).status == 200
    assert patient.post("/play", asked).json == {"column": 4}
    standard = patient.post("/play?agent=uct", asked)
    assert standard.error.startswith("uct cannot be limited by depth")


@pytest.mark.skipif(PLAIN, reason="kernels are plain Python")
def test_after_an_installation_no_request_fails_for_lack_of_compiled_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer takes longer to compile than a search may take, and is there all the same."""
    monkeypatch.setenv("CLAIMEVEN_CACHE_DIR", str(tmp_path))
    agents = ("perfect:level=4", "flat:iterations=20")
    # All wait from the start, so that the worker has no time to compile for others.
    with running("--workers", "1", "--seconds", "0.1") as server, ThreadPoolExecutor() as clients:
        status = server.status()
        assert (status["ready"], status["compiling"]) == (False, True)
        assert status["preparing"] == WARMUP_STEPS[status["steps_done"]].name
        scores = clients.submit(server.get, "/api/scores", moves="4444413226712433")
        for answer in clients.map(lambda agent: server.post("/api/move", {"agent": agent}), agents):
            assert answer.status == 200
        assert scores.result().json["complete"] is True
        (first,) = tmp_path.glob("kernels/solver.kernel.search-*")
        later = set(tmp_path.glob("kernels/*.kernel")) - set(tmp_path.glob("kernels/solver.*"))
        assert later
        assert all(first.stat().st_mtime_ns < each.stat().st_mtime_ns for each in later)


def test_many_simultaneous_clients_are_answered(server: Server) -> None:
    with ExitStack() as stack:
        connections = [
            stack.enter_context(server.waiting_for(f"/api/scores?moves=444441322671243{column}"))
            for column in 10 * (1, 2, 3, 5, 6, 7)
        ]
        for connection in connections:
            assert whole_answer(connection).startswith("HTTP/1.1 200 ")


def test_the_page_is_there(server: Server) -> None:
    for path in ("/", "/api"):
        answer = server.get(path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers["cache-control"] == "no-cache"
    looked_for = server.ask("HEAD", "/")
    assert (looked_for.status, looked_for.body) == (200, b"")
    for path in ("/docs", "/redoc", "/api/status/", "/static"):
        assert server.get(path).status == 404


def test_every_example_of_the_api_can_be_followed(server: Server) -> None:
    addresses = re.findall(r'href="(/api/[^"]+)"', server.get("/api").body.decode())
    assert len(addresses) > 10
    answers = {each: server.ask("GET", html.unescape(each)) for each in addresses}
    no_store = answers.pop("/api/tournament")
    assert no_store.status == 404
    assert no_store.error.startswith("the server has no tournament")
    assert not {each: output.error for each, output in answers.items() if output.status != 200}


def test_the_list_of_the_api_has_the_fields_of_each_route() -> None:
    number = {"name": "n", "schema": {"default": 0, "examples": ["a b", "c"]}, "description": "<n>"}
    other = {"name": "o", "schema": {"default": {}, "examples": ["&"], "description": "of it"}}
    fields = {"q": {"default": {}, "description": "no `<d>`, `e`"}, "r": {"default": 3}, "s": {}}
    form = {"content": {"application/x-www-form-urlencoded": {"schema": {"properties": fields}}}}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}}
    document = {
        "info": {"title": "a<b", "version": "1", "description": "c & d"},
        "components": {"schemas": {"Body": {"properties": fields}}},
        "paths": {
            "/x": {
                "get": {"description": "<it>", "parameters": [number, other]},
                "post": {"parameters": [number], "requestBody": body},
            },
            "/y": {"get": {}, "post": {"requestBody": form}},
        },
    }

    def row(name: str, default: str, words: str) -> str:
        return (
            f"<tr><th scope='row'><code>{name}</code></th><td>{default}</td><td>{words}</td></tr>"
        )

    page = api_page(document)
    first, get_x, post_x, get_y, post_y = page.split("<section>")
    assert "<h1>a&lt;b 1</h1>\n<p>c &amp; d</p>" in first
    assert 'href="/api/openapi.json"' in first
    assert get_x.startswith('<h2><a href="/x?n=a+b&amp;o=%26">GET /x</a></h2>\n<p>&lt;it&gt;</p>')
    assert f"<tbody>{row('n', '0', '&lt;n&gt;')}{row('o', '', 'of it')}</tbody>" in get_x
    assert post_x.startswith("<h2>POST /x</h2>\n<p></p>\n<table>")
    rows = (
        row("q", "", "no <code>&lt;d&gt;</code>, <code>e</code>")
        + row("r", "3", "")
        + row("s", "", "")
    )
    assert f"<tbody>{row('n', '0', '&lt;n&gt;')}{rows}</tbody>" in post_x
    assert get_y == '<h2><a href="/y">GET /y</a></h2>\n<p></p>\n</section>\n'
    assert f"<tbody>{rows}</tbody>" in post_y


@pytest.fixture
def refused(run: Run) -> Iterator[Callable[..., str]]:
    """Start a server in this process that cannot be, and return the sentence that says so."""

    def give_up(*_: object) -> None:
        raise TimeoutError("it serves")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    yield lambda *options: bad_input(run("serve", "--port", "0", *options))
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_without_its_packages_the_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda name: None)
    ran = run("serve", "--port", "0")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "claimeven: the server needs fastapi and uvicorn: pip install 'claimeven[web]'\n"
    )


def test_a_port_in_use_is_reported(refused: Callable[..., str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        sentence = refused("--port", str(port))
    assert sentence == (
        f"port {port} of 127.0.0.1 is in use: choose another with --port, or 0 for any"
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--host", "no.such.host.invalid"), "unknown host 'no.such.host.invalid'"),
        (("--host", "192.0.2.1"), "192.0.2.1 port 0 cannot be listened on"),
        (("--agent", "x.py:f"), "this server runs only bundled agents"),
        (("--agent", "uct:seconds=5", "--seconds", "0.5"), "seconds"),
        (("--workers", "0"), "workers must be 1 to 64, got 0"),
        (("--table-mb", "nan"), "table_mb must be 4 to 65536, got nan"),
        (("--allow-host", ""), "--allow-host must be a host name without address or port, got ''"),
        (
            ("--allow-host", "http://lab"),
            "--allow-host must be a host name without address or port, got 'http",
        ),
        (
            ("--allow-host", "lab:80"),
            "--allow-host must be a host name without address or port, got 'lab:80'",
        ),
        (
            ("--allow-host", "a\tb"),
            r"--allow-host must be a host name without address or port, got 'a\tb'",
        ),
        (("--store", "nowhere.db"), "nowhere.db cannot be read"),
        (("--root-url", "c4.example.org"), "root-url must be the scheme and the host of a page"),
        (
            ("--root-url", "https://c4.example.org/c4"),
            "root-url must be the scheme and the host of a page",
        ),
        (("--root-url", "https://me@c4.example.org"), "root-url must be"),
        (("--root-url", "https://c4.example.org:port"), "root-url must be"),
    ],
)
def test_bad_options_are_reported(
    refused: Callable[..., str], options: tuple[str, ...], sentence: str
) -> None:
    assert refused(*options).startswith(sentence)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"port": 70_000}, "port must be 0 to 65535, got 70000"),
        ({"port": 99_999_999}, "port must be 0 to 65535, got 99999999"),
        ({"workers": 0}, "workers must be 1 to 64, got 0"),
        ({"workers": 65}, "workers must be 1 to 64, got 65"),
        ({"seconds": -1.0}, "seconds must be 0.1 to 3600, got -1"),
        ({"seconds": math.nan}, "seconds must be 0.1 to 3600, got nan"),
        ({"table_mb": 1.0}, "table_mb must be 4 to 65536, got 1"),
        ({"host": ""}, "host must be a name or an address"),
    ],
)
def test_invalid_settings_are_reported(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSettings, match=sentence):
        ServerSettings(**given)


def test_settings_at_their_bounds_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for given in (
        {"port": 0, "workers": 1, "table_mb": 4, "seconds": 0.1},
        {"port": 65_535, "workers": 64, "table_mb": 65_536, "seconds": 3600},
    ):
        assert vars(ServerSettings(**given)).items() >= given.items()
    settings = ServerSettings(seconds=7)
    assert (settings.explain_seconds, settings.review_seconds) == (14, 42)
    for cores, workers in ((1, 3), (3, 3), (5, 5), (64, 64), (65, 64)):
        monkeypatch.setattr("claimeven.web.settings.usable_cores", lambda cores=cores: cores)
        assert ServerSettings().workers == workers


def test_a_server_whose_workers_cannot_be_had_ends_in_a_sentence() -> None:
    ended = forks.run_program(
        command("serve", "--port", "0", "--workers", "1", "--table-mb", "65536"),
        capture_output=True, text=True, env=environment(), timeout=PATIENCE,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "claimeven: no worker could be started:"
        " there is not enough memory for a table of 65536 MB\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_too_many_connections_wait_and_are_reported_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    import resource

    with running("--workers", "1") as server:
        stdout = server.process.stdout
        assert stdout is not None
        hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (40, hard))
        with ExitStack() as stack:
            for _ in range(60):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            assert select.select([stdout], [], [], PATIENCE)[0]
            output = stdout.readline()
        assert server.status()["workers"] == 1
        server.process.terminate()
        server.process.wait(PATIENCE)
        output += stdout.read()
    assert output == "too many open connections: some must wait (Too many open files)\n"
    assert capfd.readouterr().err == ""


def test_a_browser_that_does_not_open_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    open_browser("http://here/")
    assert capsys.readouterr().err == "no browser could be opened: open http://here/ yourself\n"


def test_other_machines_get_the_address() -> None:
    here, *rest, warning = address_lines("0.0.0.0", 8000)
    assert here.startswith("claimeven is at http://localhost:8000/")
    assert warning.startswith("everyone with access to this machine can use it")
    outside = outer_address()
    assert rest == (
        [] if outside is None else [f"other machines reach it at http://{outside}:8000/"]
    )
    assert address_lines("10.0.0.7", 80)[1:] == [warning]
