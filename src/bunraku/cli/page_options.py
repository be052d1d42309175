"""What commands that open a page in the browser have in common: their options, the token of its address, and staying
until Ctrl-C."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from bunraku.cli.common import idle
from bunraku.errors import InputError
from bunraku.progress import leave

if TYPE_CHECKING:
    from bunraku.viewer.view import View


@dataclass(frozen=True)
class Page:
    """See the module text."""

    port: int = 0
    """where to listen; 0 takes a free port."""
    browser: bool = True
    """open the page in the browser."""
    host: str = "127.0.0.1"
    """address to listen on."""
    allow_remote: bool = False
    """allow a host that other machines can reach; the token in the address still guards it."""
    speed: float = 1.0
    """how fast to play: 1 is real time, 0.5 half as fast."""
    play: bool = True
    """begin when the page is there; --no-play waits for its play button."""

    def options(self) -> dict[str, Any]:
        """As the functions of bunraku.viewer take them; what makes no sense is refused before anything is loaded."""
        from bunraku.viewer.guard import check_address, is_loopback
        from bunraku.viewer.messages import FASTEST, SLOWEST

        idle(f"has no effect with the host {self.host}", allow_remote=self.allow_remote and is_loopback(self.host))
        check_address(self.host, self.port, self.allow_remote)
        if not SLOWEST <= self.speed <= FASTEST:
            raise InputError(f"--speed {self.speed} is not between {SLOWEST:g} and {FASTEST:g}.")
        return {**vars(self), "token": own_token(), "wait": True}


PageOptions = Annotated[Page, tyro.conf.arg(name="")]  # --port, not --page.port


def own_token() -> str | None:
    """The token that the environment gives, so that an open page finds a server that was started anew; None: a new one.
    Not an option of the command, as other users of a machine can read those."""
    return os.environ.get("BUNRAKU_TOKEN") or None


def stay(view: View) -> int:
    """Say where it is, and wait for Ctrl-C."""
    leave()
    try:
        begins = "It begins when the page is there; " if view.waiting else ""
        print(f"{view.url}\n{begins}Ctrl-C ends it.", flush=True)
        while not view.wait(3600.0):
            pass
    except KeyboardInterrupt:
        print()
    finally:
        view.close()
    return 0
