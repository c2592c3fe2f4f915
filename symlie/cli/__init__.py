"""Command line interface: ``symlie COMMAND …``.

Each command is a module with ``SUMMARY``, ``EXAMPLE``, ``add_arguments(parser)`` and ``run(arguments)``; some have
``DETAILS`` that follow the summary in their help. Imports of a command are deferred until it runs. A command that fails
prints one sentence; with ``--json`` it prints one object, with the contents of ``arguments.result`` at that time.
``arguments.words`` are the words after the name of the command.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from symlie.cli.output import print_json, printed_warnings
from symlie.errors import SymlieError
from symlie.utilities.showing import shortened
from symlie.utilities.stages import watched_stages
from symlie.version import VERSION

COMMANDS = {
    "list": "list_models",
    "new": "new",
    "import": "robots.import_robot",
    "derive": "derive",
    "generate": "generate",
    "export": "export",
    "run": "run",
    "sweep": "sweep",
    "resume": "resume",
    "view": "view",
    "fit": "fit",
    "converge": "converge",
    "order": "order",
    "paper": "paper",
    "equilibrium": "equilibrium",
    "modes": "modes",
    "bench": "bench",
    "operators": "operators",
    "verify": "verify",
    "cache": "cache",
}
"""Modules of this package by command name; only the module of the requested command is imported."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code; the default is `sys.argv[1:]`."""
    words = sys.argv[1:] if arguments is None else [*arguments]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals that cannot display λ
    options = _parser(words).parse_args(words)
    options.result, options.words = {}, words[1:]
    wants_traceback = bool(os.environ.get("SYMLIE_TRACEBACK"))
    try:
        plain = True if getattr(options, "progress", False) else None
        with printed_warnings(), _cache_of(options), watched_stages(plain):
            code: int = options.command(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the output has closed the pipe, as in `symlie derive heavy_top | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt as error:
        _report(options, error, str(error) or "Interrupted.")
        return INTERRUPTED
    except Exception as error:
        if wants_traceback:
            raise
        _report(options, error, _sentence(error))
        return 1


def _cache_of(options: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """Return the context of the cache; with ``--fresh`` it ignores existing entries."""
    if not getattr(options, "fresh", False):
        return contextlib.nullcontext()
    from symlie.compile.cache import only_own_entries

    return only_own_entries()


class _Parser(argparse.ArgumentParser):
    """Argument parser that reports an invalid argument in one sentence, without a usage message."""

    def error(self, message: str) -> NoReturn:
        """End the process with exit code 2."""
        self.exit(2, f"symlie: {shortened(message)} (see '{self.prog} --help').\n")


def command_module(name: str) -> ModuleType:
    """Return the module of a command in ``COMMANDS``."""
    return importlib.import_module(f"{__name__}.{COMMANDS[name]}")


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="symlie",
        description="Compile symbolic models of mechanical systems on Lie groups to kernels, and integrate them.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"symlie {VERSION}", help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        module = command_module(name)
        command = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY + getattr(module, "DETAILS", ""),
            epilog=f"Example:\n  {module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(command=module.run)
        module.add_arguments(command)
    return parser


def _sentence(error: Exception) -> str:
    if isinstance(error, SymlieError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"Unexpected {what} (set SYMLIE_TRACEBACK=1 to see where, and please report it)."


def _report(options: argparse.Namespace, error: BaseException, message: str) -> None:
    message = shortened(message)
    if getattr(options, "json", False):
        print_json({**options.result, "status": type(error).__name__, "message": message})
    else:
        print(f"symlie: {message}", file=sys.stderr)
