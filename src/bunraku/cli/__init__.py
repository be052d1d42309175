"""The command `bunraku`: one file per command, loaded only when asked for, so that the shell answers at once.

`COMMANDS` maps a command to its module and a one-line help. A module offers either `main` (a typed function that tyro
turns into options, bunraku.cli.help_page into help) or `COMMANDS`, a dict of such functions, for a command with parts (`bunraku bench dynamics`). A
`BunrakuError` is the user's mistake: its one sentence goes to stderr and the exit code is 2; what tyro says of options
becomes one, too. A signal that ends the process (SIGTERM, SIGHUP) ends the command as an error would: recordings are
closed, temporary files and folders are removed.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, redirect_stderr
from functools import wraps
from typing import Any

from bunraku.cli.bare import HINT, opens_stage
from bunraku.errors import BunrakuError, InputError, closest
from bunraku.progress import patience

COMMANDS: dict[str, tuple[str, str]] = {
    "info": (
        "bunraku.cli.info_command",
        "Show a figure: its tree, degrees of freedom, masses, gears, limits and warnings.",
    ),
    "bench": ("bunraku_bench.bench_commands", "Measure Bunraku against its peers on this machine."),
    "convert": ("bunraku.cli.convert_command", "Write a figure or robot as URDF or MJCF."),
    "dance": (
        "bunraku.cli.dance_command",
        "Perform a score: pins, drags, poses and releases by time; write motion and pictures.",
    ),
    "export": ("bunraku.cli.export_command", "Write a recording as CSV, NPZ, BVH, a page, a picture or a film."),
    "film": ("bunraku.cli.film_command", "Make a film of a recording or a scene: MP4, WebM or GIF."),
    "filter": (
        "bunraku.cli.filter_command",
        "Make a captured or recorded motion physically consistent: ground reaction, ZMP, torques.",
    ),
    "forces": (
        "bunraku.cli.forces_command",
        "Ground reaction, zero-moment point, joint moments and powers of a captured motion, beside force plates.",
    ),
    "gait": (
        "bunraku.gait1988.gait_commands",
        "The 1988 walking program: smooth, solve, moments, servo, survey, draw, convert, export, follow …",
    ),
    "gaits": ("bunraku.cli.gaits_command", "Steps of walking derived from mechanics alone: make, show, write them."),
    "generate": (
        "bunraku.cli.generate_command",
        "Generate a motion with its torques from a file of contacts, known quantities and trajectories.",
    ),
    "human": (
        "bunraku.cli.human_command",
        "Measure a person on a captured motion and write the figure as a file that every command takes.",
    ),
    "play": ("bunraku.cli.play_command", "Play a recording in the browser."),
    "record": ("bunraku.cli.record_command", "Run a scene and record it, step by step, into a file."),
    "reproduce": (
        "bunraku_reproduce.reproduce_command",
        "Tables, figures and claims of the five documents beside ours, as pages.",
    ),
    "retarget": ("bunraku.cli.retarget_command", "Put the motion of a BVH file onto a figure."),
    "run": (
        "bunraku.cli.run_command",
        "Run a scene: figures and things with contact, connections, pushes; write pictures and plots.",
    ),
    "stage": (
        "bunraku.cli.stage_command",
        "Pin and drag a figure in the browser while dynamics moves it, in real time.",
    ),
    "view": (
        "bunraku.cli.view_command",
        "Watch a scene, a figure or a recording in the browser, running in real time.",
    ),
    "walk": ("bunraku.cli.walk_command", "Make a figure walk in the physical world: film, plots, recording, page."),
}

WANTED = {"INT": "a whole number", "FLOAT": "a number", "PATH": "a path", "STR": "text"}
"""What tyro calls the kinds of values."""


def usage() -> str:
    """The text of `bunraku --help`."""
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name:<{width}}  {text}" for name, (_, text) in sorted(COMMANDS.items())]
    head = ["usage: bunraku [--version] COMMAND [options]", "", "Human figures that move.", "", "commands:"]
    tail = ["`bunraku COMMAND --help` explains one command. `bunraku` alone, on a desktop, opens the stage."]
    return "\n".join([*head, *lines, "", *tail])


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    if (
        argv is None
    ):  # a process of our own, whose matrices are small: threads of OpenBLAS would only wait for each other
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    args = list(sys.argv[1:] if argv is None else argv)
    if not args:
        args = ["stage"] if opens_stage() else ["--help"]
        if args == ["stage"]:
            print(HINT, file=sys.stderr)
    name = args[0]
    try:
        try:
            with orderly_end():
                return answer(name, args[1:])
        finally:
            sys.stdout.flush()  # here, where a reader that left is no error
    except BunrakuError as error:
        print(with_notes(f"bunraku {name}: {error}", error), file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print(with_notes(f"bunraku {name}: interrupted.", error), file=sys.stderr)
        return 130
    except MemoryError:
        print(f"bunraku {name}: there is not enough memory for that.", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _reader_left()
        print(f"bunraku {name}: {error.strerror or error}: {error.filename or 'standard output'}.", file=sys.stderr)
        return 2
    except SystemExit as error:  # rich ends so when the reader of a pipe left
        if error.code == 1 and isinstance(error.__context__, BrokenPipeError):
            return _reader_left()
        if notes := with_notes("", error).strip():
            print(f"bunraku {name}: ended by a signal. {notes}", file=sys.stderr)
        raise


@contextmanager
def orderly_end() -> Generator[None, None, None]:
    """While it lasts, a signal that would end the process at once raises SystemExit instead."""

    def end(number: int, _: Any) -> None:
        for other in ours:
            signal.signal(other, signal.SIG_IGN)  # what has to be done now is not interrupted by another
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [n for n in ("SIGTERM", "SIGHUP") if getattr(signal, n, None) is not None]
    ours = [number for number in (getattr(signal, n) for n in names) if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def answer(name: str, args: list[str]) -> int:
    """Help, the version, or a command."""
    if name in ("-h", "--help"):
        print(usage())
        return 0
    if name in ("-V", "--version"):
        from bunraku.version import __version__

        print(f"bunraku {__version__}")
        return 0
    if name not in COMMANDS:
        print(f"bunraku: there is no command {name!r}.{closest(name, COMMANDS)}", file=sys.stderr)
        return 2
    return dispatch(name, args)


def with_notes(sentence: str, error: BaseException) -> str:
    """What an error says, with what others added to it: where an interrupted recording is, say."""
    return " ".join([sentence, *getattr(error, "__notes__", [])])


def _reader_left() -> int:
    """`bunraku … | head`: the reader left; point stdout elsewhere so that the exit is quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def dispatch(name: str, args: list[str]) -> int:
    """Load the module of one command and let tyro read its options."""
    module = importlib.import_module(COMMANDS[name][0])
    prog = f"bunraku {name}"
    if "-h" in args or "--help" in args:
        print(explained(name, module, args[0]))
        return 0
    import tyro

    said = io.StringIO()
    try:
        with redirect_stderr(said):
            if hasattr(module, "COMMANDS"):
                commands = {key: later(f) for key, f in module.COMMANDS.items()}
                call = tyro.extras.subcommand_cli_from_dict(commands, prog=prog, args=args)
            else:
                call = tyro.cli(later(module.main), prog=prog, args=args)
    except SystemExit as error:
        if error.code != 2:
            raise
        raise InputError(f"{in_words(said.getvalue())} `{prog} --help` explains.") from None
    with patience(f"{prog} is at work"):
        return int(call() or 0)


def explained(name: str, module: Any, part: str) -> str:
    """The help of a command, or of a part of it."""
    from bunraku.cli.examples import EXAMPLES
    from bunraku.cli.help_page import overview, page

    parts = getattr(module, "COMMANDS", None)
    if parts is None:
        return page(f"bunraku {name}", module.main, EXAMPLES.get(name, ()))
    if part in parts:
        return page(f"bunraku {name} {part}", parts[part], EXAMPLES.get(f"{name} {part}", ()))
    return overview(f"bunraku {name}", parts, EXAMPLES.get(name, ()))


def later(f: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """The same function to tyro; but what it gives back is the call, to be made when all options are understood."""

    @wraps(f)
    def bound(*args: Any, **options: Any) -> Callable[[], Any]:
        return lambda: f(*args, **options)

    return bound


def in_words(box: str) -> str:
    """What tyro draws in a box, in a sentence."""
    lines = [line.strip("│ ") for line in re.sub(r"\x1b\[[0-9;]*m", "", box).splitlines()]
    inside = "\n".join(line for line in lines if line[:1] not in "╭╰")
    parts = [" ".join(part.split()) for part in re.split(r"^[─-]{4,}$", inside, flags=re.MULTILINE)]
    if "╭" not in box:
        parts = parts[1:]  # without a frame the title stands above a line
    text = parts[0] if parts else box
    if found := re.match(r"Error parsing ([^:]+): (.*)", text):
        kind = re.search(r"matching (.+?) could be", found[2])
        kinds = re.findall("INT|FLOAT|PATH|STR", kind[1]) if kind else ["INT" if "int()" in text else "FLOAT"]
        given = re.search(r"from \[(.*?)\]\.|'([^']*)'\.?$", found[2])
        wanted = WANTED.get(kinds[0], "another value") if len(kinds) == 1 else f"{len(kinds)} values"
        return (
            f"{found[1]} {(given[1] or repr(given[2])).strip()[:42] if given else ''} does not fit; wanted is {wanted}."
        )
    if found := re.match(r"invalid choice '(.*)' for argument '(\S+)'. Expected one of \((.*)\)", text):
        choices = sorted(c.strip(" '") for c in found[3].split(",") if c.strip(" '") not in ("", "None"))
        return f"{found[2]} {found[1][:40]!r} is none of {', '.join(choices)}."
    if found := re.match(r"Unrecognized options: (.*)", text):
        near = re.match(r"Perhaps you meant: (--?[\w-]+)", parts[1]) if len(parts) > 1 else None
        return (
            f"{found[1].replace(', ', ' ')[:80]!r} is not understood{f'; perhaps {near[1]} is meant' if near else ''}."
        )
    if found := re.match(r"Missing from .*?: (\S+)", text):
        return f"{found[1]} is missing."
    if found := re.match(r"Missing value for argument '(\S+)'", text):
        return f"{found[1]} is without a value."
    if found := re.match(r"Expected one of \{(.*)\}", text):
        return f"what to do is missing: {found[1]}."
    return f"{text.rstrip('.')[:300]}."
