"""``symlie cache``: the cache of generated and compiled code."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from symlie.cli.common import add_json
from symlie.cli.output import print_json

SUMMARY = "Show where generated and compiled code is cached, or clear it."
EXAMPLE = "symlie cache --clear"


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--clear", action="store_true", help="delete everything in the cache")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.compile.cache import cache_size, clear_cache
    from symlie.paths import cache_folder

    files, size = cache_size()
    if arguments.clear:
        clear_cache()
    if arguments.json:
        print_json({"folder": str(cache_folder()), "files": files, "bytes": size, "cleared": arguments.clear})
    else:
        verb = "deleted " if arguments.clear else ""
        print(f"{cache_folder()}: {verb}{files} files, {size / 2**20:.1f} MiB")
    return 0
