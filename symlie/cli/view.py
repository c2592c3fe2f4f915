"""``symlie view``: interactive page that animates saved solutions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from symlie.cli.common import PAGES, add, check_writable
from symlie.cli.output import print_json
from symlie.cli.values import path

SUMMARY = "Write an interactive page that animates saved solutions in space."
DETAILS = """

The page is one file that any browser opens without a network. Solutions after the first are drawn as ghosts; all must
belong to the same model. The page shows the recorded states. With --trust the code in the files is executed as well,
which adds intermediate states, outputs that were not recorded, and loads."""
EXAMPLE = """symlie view top.nc
  symlie view coarse.nc fine.nc --html both.html

  after
  symlie run heavy_top -o group=SE3 --t-end 2 --out top.nc"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=path, help="solution of 'symlie run --out FILE' (.nc, .npz)"
    )
    parser.add_argument(
        "--html", metavar="FILE", type=path, help="page to write (.html); default: next to the first solution"
    )
    add(parser, "--trust", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    page = Path(arguments.html or Path(arguments.files[0]).with_suffix(".html"))
    check_writable(str(page), PAGES)
    from symlie.runtime.solution.file import load_solution

    first, *others = [load_solution(file, trust=arguments.trust) for file in arguments.files]
    view = first.view(*others)
    view.save(page)
    if arguments.json:
        drawn = [{"file": file, **vars(d)} for file, d in zip(arguments.files, view.drawn, strict=True)]
        print_json({"html": str(page), "bytes": page.stat().st_size, "solutions": drawn})
        return 0
    for file, drawn_of in zip(arguments.files, view.drawn, strict=True):
        print(f"{file}: {drawn_of.frames} states drawn")
        for note in drawn_of.notes:
            print(f"  {note}")
    print(f"\nwrote {page}")
    return 0
