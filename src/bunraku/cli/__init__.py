"""The command `bunraku`: one file per command, loaded only when asked for, so that the shell answers at once.

`COMMANDS` maps a command to its module and a one-line help. A module offers either `main` (a typed function that tyro
turns into options) or `COMMANDS`, a dict of such functions, for a command with parts (`bunraku bench dynamics`). A
`BunrakuError` is the user's mistake: its one sentence goes to stderr and the exit code is 2.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from bunraku.errors import BunrakuError, closest

COMMANDS: dict[str, tuple[str, str]] = {
    "info": (
        "bunraku.cli.info_command",
        "Show a figure: its tree, degrees of freedom, masses, gears, limits and warnings.",
    ),
    "bench": ("bunraku_bench.bench_commands", "Measure Bunraku against its peers on this machine."),
    "dance": (
        "bunraku.cli.dance_command",
        "Perform a score: pins, drags, poses and releases by time; write motion and pictures.",
    ),
    "export": ("bunraku.cli.export_command", "Write a recording as CSV, NPZ, BVH, a page, a picture or a film."),
    "filter": (
        "bunraku.cli.filter_command",
        "Make a captured or recorded motion physically consistent: ground reaction, ZMP, torques.",
    ),
    "gait": (
        "bunraku.gait1988.gait_commands",
        "The 1988 walking program: smooth, solve, moments, servo, survey, draw, convert …",
    ),
    "play": ("bunraku.cli.play_command", "Play a recording in the browser."),
    "record": ("bunraku.cli.record_command", "Run a scene and record it, step by step, into a file."),
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


def usage() -> str:
    """The text of `bunraku --help`."""
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name:<{width}}  {text}" for name, (_, text) in sorted(COMMANDS.items())]
    head = ["usage: bunraku [--version] COMMAND [options]", "", "Human figures that move.", "", "commands:"]
    return "\n".join([*head, *lines, "", "`bunraku COMMAND --help` explains one command."])


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    name = args[0] if args else "--help"
    try:
        try:
            return answer(name, args[1:])
        finally:
            sys.stdout.flush()  # here, where a reader that left is no error
    except BunrakuError as error:
        print(with_notes(f"bunraku {name}: {error}", error), file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print(with_notes(f"bunraku {name}: interrupted.", error), file=sys.stderr)
        return 130
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _reader_left()
        print(f"bunraku {name}: {error.strerror or error}: {error.filename or 'standard output'}.", file=sys.stderr)
        return 2
    except SystemExit as error:  # rich ends so when the reader of a pipe left
        if error.code == 1 and isinstance(error.__context__, BrokenPipeError):
            return _reader_left()
        raise


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
    import tyro

    module = importlib.import_module(COMMANDS[name][0])
    prog = f"bunraku {name}"
    if hasattr(module, "COMMANDS"):
        result = tyro.extras.subcommand_cli_from_dict(module.COMMANDS, prog=prog, args=args)
    else:
        result = tyro.cli(module.main, prog=prog, args=args)
    return int(result or 0)
