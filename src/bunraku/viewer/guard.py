"""Who may talk to the viewer's server: checks of Host, Origin and token, and the headers of every answer.

Other pages in the user's browser can reach a loopback port, so an address is no protection. Three checks are: the Host
header names this machine and port (a foreign name that was pointed at 127.0.0.1 does not), the Origin of a WebSocket is
the page we served, and the token, 256 bits that only the printed address has, is offered as WebSocket subprotocol
"token.<token>" beside "bunraku". The token stands behind the # of the address, which browsers never send. The
Content-Security-Policy (bunraku.viewer.page) lets the page talk to this server and no other. Checked in
tests/viewer/test_server_security.py.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Sequence

from bunraku.errors import InputError

PROTOCOL = "bunraku"
NAMES = ("localhost", "127.0.0.1", "[::1]")
FRAMES = "'self' http://localhost:* http://127.0.0.1:*"  # notebooks of this machine may hold the page


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_address(host: str, port: int, allow_remote: bool) -> None:
    """Raise unless a server may listen there."""
    if not 0 <= port <= 65535:
        raise InputError(f"port {port} is not between 0 and 65535; 0 takes a free one.")
    if not host or len(host) > 253 or re.search(r"[^\w.:-]", host, re.ASCII):
        raise InputError(f"host {host!r} is no address; write e.g. 127.0.0.1.")
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"host {host!r} is not known here ({said}); write e.g. 127.0.0.1.") from None
    if not is_loopback(host) and not allow_remote:
        raise InputError(
            f"host {host!r} can be reached from other machines; add --allow-remote (allow_remote=True) if that is "
            "meant."
        )


def check_token(token: str) -> str:
    """A token of the user's own; raises where it is too short or does not fit into an address and a subprotocol."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{22,128}", token):
        raise InputError("token: 22 to 128 letters, digits, - or _ are wanted; secrets.token_urlsafe(32) makes one.")
    return token


def host_allowed(given: Sequence[str], host: str, port: int) -> bool:
    """Whether the Host headers of a request name this server: a name of the loopback, or, for one that others can
    reach, its own name or any address."""
    if len(given) != 1:
        return False
    name, at_port = _split(given[0])
    if at_port != port:
        return False
    if name in NAMES:
        return True
    if is_loopback(host):
        return name.strip("[]") == host
    return _is_address(name.strip("[]")) or name in (host.lower(), socket.gethostname().lower())


def _split(text: str) -> tuple[str, int]:
    """(name, port) of a Host header; port 80 where it gives none, -1 where it makes no sense."""
    found = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::([0-9]{1,5}))?", text.strip(), re.ASCII)
    return (found[1].lower(), int(found[2] or 80)) if found else ("", -1)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def origin_allowed(given: Sequence[str], host_header: str) -> bool:
    """Whether a WebSocket comes from the page that this server gave."""
    return len(given) == 1 and given[0].strip().lower() == f"http://{host_header.strip().lower()}"


def token_allowed(offers: Sequence[str], token: str) -> bool:
    """Whether the subprotocols that a WebSocket offers hold ours and the token."""
    words = [w.strip() for line in offers for w in line.split(",")]
    tokens = [w.removeprefix("token.") for w in words if w.startswith("token.")]
    right = [hmac.compare_digest(t.encode("utf-8", "replace"), token.encode()) for t in tokens]
    return PROTOCOL in words and right == [True]


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer."""
