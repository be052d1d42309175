"""Who is not let in, and what those who are let in cannot do: the simulation goes on whatever happens at its door."""

import base64
import hashlib
import json
import logging
import socket
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bunraku.errors import InputError
from bunraku.viewer import server
from bunraku.viewer.page import policy
from bunraku.viewer.view import view_world
from viewer_client import PAGE, PATIENCE, address, falling, hear, page, poll, raw, request, say, until_closed

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec_WebSocket_Version": "13",
}


@pytest.fixture(scope="module")
def view():
    with view_world(falling(), browser=False, html=PAGE) as view:
        yield view


@pytest.fixture(autouse=True)
def goes_on(view):
    """After every test the simulation steps on, and a page that behaves is served."""
    yield
    before = view._show.steps
    poll(lambda: view._show.steps > before, "another step")
    assert view.error is None
    with page(view.url) as good:
        first = hear(good, "frame").sequence
        assert hear(good, "frame", lambda f: f.sequence > first)


def good_headers(view):
    host, token = address(view.url)
    return {**UPGRADE, "Origin": f"http://{host}", "Sec_WebSocket_Protocol": f"bunraku, token.{token}"}


def test_a_good_request_is_let_in(view):
    """Else the refusals below would prove nothing."""
    status, headers, _ = request(view.url, "/ws", **good_headers(view))
    assert status == 101 and headers["sec-websocket-protocol"] == "bunraku"


def test_the_page_and_its_headers(view):
    status, headers, body = request(view.url)
    assert status == 200 and body.decode() == PAGE and headers["content-type"] == "text/html; charset=utf-8"
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store" and "server" not in headers
    rules = dict(r.strip().split(" ", 1) for r in headers["content-security-policy"].split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind, text in (("script", "let a = 1;"), ("style", "p{color:red}")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert rules["connect-src"] == f"'self' ws://{address(view.url)[0]}"
    assert "unsafe" not in headers["content-security-policy"]


def test_the_token_is_never_given_away(view):
    token = address(view.url)[1]
    assert len(token) >= 43
    for path in ("/", "/ws", "/x"):
        _, headers, body = request(view.url, path)
        assert token not in body.decode() and token not in json.dumps(headers)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil.example", "localhost.evil.example:{port}",
     "localhost:{port}@evil.example", "192.168.1.5:{port}", "", None],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/ws"])
def test_wrong_host(view, host, path):
    port = address(view.url)[0].split(":")[1]
    headers = good_headers(view) if path == "/ws" else {}
    status, _, body = request(view.url, path, **{**headers, "Host": host and host.format(port=port)})
    assert status == 403 and PAGE.encode() not in body


def test_two_hosts(view):
    host = address(view.url)[0]
    status, _, _ = raw(host, f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n".encode())
    assert status in (0, 400, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LOCALHOST"])
def test_names_of_the_loopback(view, name):
    port = address(view.url)[0].split(":")[1]
    assert request(view.url, Host=f"{name}:{port}")[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://{host}", "http://{host}.evil.example", "http://127.0.0.1:1", "http://127.0.0.1", "null", "file://", None],
)  # fmt: skip
def test_foreign_origin(view, origin):
    host = address(view.url)[0]
    status, _, _ = request(view.url, "/ws", **{**good_headers(view), "Origin": origin and origin.format(host=host)})
    assert status == 403


@pytest.mark.parametrize(
    "offer",
    [None, "bunraku", "token.{token}", "bunraku, token.", "bunraku, token.wrong", "bunraku, token.{token}x", "bunraku, {token}",
     "bunraku, token.{token}, token.wrong", "bunraku, TOKEN.{token}", "bunraku, token.\u00e9"],
)  # fmt: skip
def test_missing_or_wrong_token(view, offer):
    token = address(view.url)[1]
    headers = {**good_headers(view), "Sec_WebSocket_Protocol": offer and offer.format(token=token)}
    assert request(view.url, "/ws", **headers)[0] in (400, 403)


def test_the_token_in_the_address_does_not_help(view):
    token = address(view.url)[1]
    headers = {**good_headers(view), "Sec_WebSocket_Protocol": "bunraku"}
    assert request(view.url, f"/ws?token={token}", **headers)[0] == 404


@pytest.mark.parametrize(
    "path", ["/x", "/index.html", "/../etc/passwd", "//", "/%2e%2e/", "/favicon.ico", "/?x", "/ws/", "*"]
)
def test_unknown_path(view, path):
    status, headers, body = request(view.url, path)
    assert status == 404 and headers["x-content-type-options"] == "nosniff" and PAGE.encode() not in body


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00" * 300 + b"\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /\r\n\r\n",
     b"GET / HTTP/1.1\r\n" + b"A: " + b"x" * 100_000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n"],
    ids=range(6),
)  # fmt: skip
def test_what_is_no_request(view, data):
    with socket.create_connection(("127.0.0.1", int(address(view.url)[0].split(":")[1])), timeout=PATIENCE) as s:
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := s.recv(65536):
                answer += chunk
        except OSError:
            answer = b""
    assert b" 200 " not in answer and b" 101 " not in answer


@pytest.mark.parametrize("size", [4097, 1_000_000])
def test_oversized_message(view, size):
    with page(view.url) as bad, pytest.raises(ConnectionClosed) as closed:
        bad.send("x" * size)
        until_closed(bad)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009


@pytest.mark.parametrize(
    "message",
    [b"\x00\xff" * 50, "[" * 4000, '{"a":' * 800, '{"type": "speed", "value": NaN}', '{"type": "speed", "value": 1e999}', '{"type": "quit"}',
     "null", '{"type": "step", "n": -5e9}', "\u0000"],
    ids=range(9),
)  # fmt: skip
def test_malformed_message_gets_a_sentence_and_changes_nothing(view, message):
    with page(view.url) as bad:
        bad.send(message)
        status = hear(bad, "status", lambda m: m["error"])
        assert status["error"].startswith("message: ") and status["playing"] is True and status["speed"] == 1.0
        with page(view.url) as other:  # the sentence is for the one who caused it
            assert hear(other, "status")["error"] is None


def test_text_that_is_not_utf8(view):
    with page(view.url) as bad, pytest.raises(ConnectionClosed) as closed:
        bad.send(b"\xff\xfe", text=True)
        until_closed(bad)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1007


def test_one_who_goes_on_making_mistakes_is_shown_out(view):
    with page(view.url) as bad, pytest.raises(ConnectionClosed) as closed:
        for _ in range(server.MOST_MISTAKES + 1):
            bad.send("nonsense")
        until_closed(bad)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008


def test_a_flood_of_commands(view):
    """The mailbox keeps the latest of a kind, so thousands of commands cost no memory and no time of the simulation's."""
    with page(view.url) as eager:
        before = view._show.steps
        for k in range(500):
            say(eager, "speed", value=0.5 + (k % 2))
        assert len(view._show._orders) <= 5
        poll(lambda: view._show.steps > before + 10, "steps during a flood")
        say(eager, "speed", value=1.0)
        hear(eager, "status", lambda m: m["speed"] == 1.0)


def test_200_idle_connections(view):
    """Connections that never say a word are bounded in number, at once, and nobody notices: a page is served meanwhile
    without delay. In version 0.1, 96 of them kept all others out for 10 s."""
    port, before = int(address(view.url)[0].split(":")[1]), view._show.steps
    idle = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(200)]
    try:
        for _ in range(3):
            began = time.monotonic()
            assert request(view.url)[0] == 200
            with page(view.url) as good:
                assert hear(good, "frame")
            assert time.monotonic() - began < 0.5 * server.ASKING + 2.0
        assert len(view._server.sockets) <= server.MOST_OPENING
        poll(lambda: view._show.steps > before + 10, "steps")
        poll(lambda: not view._server.sockets, "the end of those that said nothing")
    finally:
        for s in idle:
            s.close()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "X"])
@pytest.mark.parametrize("path", ["/", "/ws", "/x"])
def test_other_methods_are_refused(view, method, path):
    """Version 0.1 gave the page to all of them."""
    host = address(view.url)[0]
    head = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in good_headers(view).items())
    status, headers, body = raw(host, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{head}\r\n".encode())
    assert status == 405 and headers["allow"] == "GET" and PAGE.encode() not in body


def test_the_token_is_never_logged(view, caplog):
    """With all that can be logged: version 0.1 logged the headers, and with them the token."""
    names = ["", *logging.root.manager.loggerDict]
    levels = {name: logging.getLogger(name).level for name in names}
    token = address(view.url)[1]
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.DEBUG)
        with view_world(falling(), browser=False, html=PAGE, token=token) as own:
            with page(own.url) as good:
                hear(good, "frame")
            wrong = {**good_headers(own), "Sec_WebSocket_Protocol": f"bunraku, token.{token}, token.{token}"}
            assert request(own.url, "/ws", **wrong)[0] == 403
            assert request(own.url, f"/ws?token={token}", **good_headers(own))[0] == 404
            assert request(own.url, "/ws", Upgrade="x", Sec_WebSocket_Protocol=f"token.{token}")[0] == 403
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
    said = [r for r in caplog.records if r.name == "bunraku.viewer"]
    assert any("Sec-WebSocket-Protocol: bunraku, token.…" in r.getMessage() for r in said)
    own_words = [r for r in caplog.records if not r.name.startswith("websockets.client")]
    assert all(token not in r.getMessage() + str(r.exc_info) + str(vars(r)) for r in own_words)


def test_200_viewers(view):
    """The first are served, the others are told why not; those who leave make room."""
    pages, refused, early = [], 0, []
    poll(lambda: not view._server.sockets and not view.viewers, "room")
    view.pause()  # one process plays all the pages; frames in between would only make it slow
    try:
        for _ in range(200):
            try:
                p = page(view.url, max_queue=None).__enter__()
            except (InvalidHandshake, OSError, EOFError) as error:
                early.append(repr(error))
                continue
            pages.append(p)
            try:
                hear(p, "frame")
            except ConnectionClosed as closed:
                assert closed.rcvd is not None and closed.rcvd.code == 1013 and "viewers" in closed.rcvd.reason
                pages.pop()
                refused += 1
        assert early == []
        assert len(pages) == view.viewers == server.MOST_VIEWERS and refused == 200 - server.MOST_VIEWERS
        latest = view._show._frames.sequence
        view.play()
        for p in pages:
            assert hear(p, "frame", lambda f: f.sequence > latest)
    finally:
        view.play()
        for p in pages:
            p.close()
    poll(lambda: view.viewers == 0, "room")


def test_a_connection_that_never_asks_is_dropped(monkeypatch):
    monkeypatch.setattr(server, "ASKING", 0.2)
    with view_world(falling(), browser=False, html=PAGE) as view:
        port = int(address(view.url)[0].split(":")[1])
        s = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        s.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert s.recv(100) == b""
        s.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_other_machines_only_when_asked_for(host, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [])  # it has an address, also where there is no network
    with pytest.raises(InputError, match="--allow-remote"):
        server.Server(PAGE, print, host=host)


def test_a_remote_server_keeps_its_token():
    with view_world(falling(), browser=False, html=PAGE, host="0.0.0.0", allow_remote=True) as view:
        token, port = address(view.url)[1], view._server.port
        url = f"http://127.0.0.1:{port}/#token={token}"
        with page(url) as good:
            hear(good, "frame")
        headers = {**UPGRADE, "Origin": f"http://127.0.0.1:{port}", "Sec_WebSocket_Protocol": "bunraku"}
        assert request(url, "/ws", **headers)[0] == 403
        assert request(url, Host=f"evil.example:{port}")[0] == 403


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", -1), ("127.0.0.1", 70000), ("", 0), ("a b", 0), ("x/y", 0)])
def test_addresses_that_make_no_sense(host, port):
    with pytest.raises(InputError):
        server.Server(PAGE, print, host=host, port=port, allow_remote=True)


def test_scripts_that_hold_data_need_no_hash():
    text = '<script type="application/json" id="d">{}</script><script>\n1</script><STYLE>a</STYLE>'
    rule = policy(text)
    assert rule.count("sha256-") == 2 and "script-src 'none'" in policy("<p>")
