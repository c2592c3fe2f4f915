"""``symlie cache``: the cache of generated and compiled code."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from symlie.cli.common import add
from symlie.cli.output import print_json

SUMMARY = "Show the folder of cached code, generated and compiled, or clear it."
DETAILS = """

The folder must belong to you, and only you may write to it; otherwise a temporary folder is used, with a warning. When
new entries are added, entries that were not used for 90 days are removed, and the least recently used ones if the cache
exceeds 1 GiB. The environment variable SYMLIE_CACHE selects another folder."""
EXAMPLE = "symlie cache --clear"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--clear", action="store_true", help="delete all entries")
    add(parser, "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.compile.cache_folder import LARGEST, LONGEST, clear_cache, entries
    from symlie.utilities.paths import cache_folder

    found = entries(cache_folder())
    files, size = sum(entry.files for entry in found), sum(entry.size for entry in found)
    days = [(time.time() - entry.used) / 86_400 for entry in found]
    if arguments.clear:
        clear_cache()
    if arguments.json:
        print_json(
            {
                "folder": str(cache_folder()),
                "entries": len(found),
                "files": files,
                "bytes": size,
                "limit_bytes": LARGEST,
                "oldest_days": max(days, default=None),
                "limit_days": LONGEST / 86_400,
                "cleared": arguments.clear,
            }
        )
        return 0
    verb = "deleted " if arguments.clear else ""
    print(f"{cache_folder()}: {verb}{files} files, {size / 2**20:.1f} MiB of at most {LARGEST / 2**20:.0f} MiB")
    if days and not arguments.clear:
        print(f"{len(found)} entries, unused for up to {max(days):.0f} of at most {LONGEST / 86_400:.0f} days")
    return 0
