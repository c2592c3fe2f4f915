"""``symlie paper``: reproduce and check figures, tables and claims of five papers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.cli.common import add
from symlie.cli.output import print_json
from symlie.cli.values import path
from symlie.errors import SymlieError, UnknownNameError

if TYPE_CHECKING:
    from symlie.papers.items import Item, Paper
    from symlie.papers.running import Computed

SUMMARY = "Run, draw and check figures, tables and claims of the papers."
DETAILS = """

Without arguments, the papers and their items are listed. A figure or table is 'reproduced', perhaps 'in part', if our
numbers match the printed ones; 'corrected' if the paper contains an error; or 'schematic' if it has no data. A claim is
'confirmed', 'refuted', or 'not reproduced' if our number differs. Each item prints the numbers in its figure. Known
numbers have bounds, and the exit code is 1 if a bound is violated.

With --model, a user-defined model with the same layout replaces the models of the paper, and no bounds apply. It is
built with the options of the paper's model that it has; formulations that need other options are left out."""
EXAMPLE = """symlie paper
  symlie paper tumiotto2024 --figure 3
  symlie paper tumiotto2024 --figure 1 --model my_top.py --data my_top.csv
  symlie paper tumiotto2024 --all --out papers --quick"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("paper", metavar="PAPER", nargs="?", help="short name, such as tumiotto2024")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--figure", metavar="N", help="run a figure")
    chosen.add_argument("--table", metavar="N", help="run a table")
    chosen.add_argument("--claims", action="store_true", help="run the claims")
    chosen.add_argument("--all", action="store_true", help="run all items; without PAPER, of all papers")
    parser.add_argument(
        "--out", metavar="DIR", type=path, help="folder for figures and, with --all, pages; default: the working folder"
    )
    parser.add_argument("--quick", action="store_true", help="use fewer points and shorter runs")
    parser.add_argument(
        "--model", metavar="FILE.py", type=path, help="user-defined model that replaces the models of the paper"
    )
    parser.add_argument("--data", metavar="FILE.csv", type=path, help="write the curves to this file")
    add(parser, "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.papers.library import paper_of, papers
    from symlie.utilities.packages import require

    runs = arguments.figure or arguments.table or arguments.claims or arguments.all
    if arguments.paper is None and not arguments.all:
        if runs:
            raise UnknownNameError("Specify the paper as well, as in: symlie paper tumiotto2024 --figure 3.")
        return _list(arguments, list(papers().values()))
    found = [paper_of(arguments.paper)] if arguments.paper else list(papers().values())
    if not runs:
        return _list(arguments, found)
    _check(arguments)
    listed = [
        (paper, items, _chosen(arguments, paper, items)) for paper in found for items in [paper.items(arguments.quick)]
    ]
    if any(item.panels for _, _, chosen in listed for item in chosen):
        require("Drawing a figure of a paper", "matplotlib")
    results: dict[str, list[Computed]] = {}
    for paper, items, chosen in listed:
        results[paper.name] = _run(arguments, paper, items, chosen)
    return _report(arguments, results)


def _check(arguments: Namespace) -> None:
    """Raise an error before any run if output cannot be written."""
    from symlie.models.registry import model_path

    if arguments.data and arguments.paper is None:
        raise SymlieError("--data writes the curves of one paper; specify the paper.")
    if arguments.data and not arguments.data.endswith(".csv"):
        raise SymlieError(f"{arguments.data} must end in .csv.")
    if arguments.data and not Path(arguments.data).absolute().parent.is_dir():
        raise SymlieError(f"The folder of {arguments.data} does not exist.")
    if arguments.model:
        model_path(arguments.model)


def _chosen(arguments: Namespace, paper: Paper, items: Sequence[Item]) -> Sequence[Item]:
    from symlie.papers.library import item_of

    if arguments.all:
        return items
    if arguments.claims:
        claims = [item for item in items if item.kind == "claim"]
        if not claims:
            raise UnknownNameError(f"No claims of {paper.name} are checked here.")
        return claims
    kind = "figure" if arguments.figure else "table"
    return [item_of(paper, items, kind, arguments.figure or arguments.table)]


def _run(arguments: Namespace, paper: Paper, items: Sequence[Item], chosen: Sequence[Item]) -> list[Computed]:
    """Compute and draw items, and write the page of a paper if it is complete."""
    from symlie.papers.drawing import draw
    from symlie.papers.pages import lines_of, page, record
    from symlie.papers.running import compute
    from symlie.papers.studies import Session
    from symlie.utilities.progress_bar import ProgressBar

    folder = Path(arguments.out or ".")
    results: list[Computed] = []
    if arguments.model and not arguments.json:
        print(f"With {arguments.model} instead of the models of {paper.name}; errors are relative to its finest run.")
    with ProgressBar(paper.name, plain=arguments.progress) as progress:
        session = Session(arguments.model, lambda label: progress(len(results) / len(chosen), label))
        for item in chosen:
            result = compute(item, session)
            if item.panels:
                place = folder / paper.name if arguments.all else folder
                place.mkdir(parents=True, exist_ok=True)
                name = item.file_name if arguments.all else f"{paper.name}_{item.file_name}"
                draw(result, place / f"{name}.png")
            if not arguments.json:
                print("\n".join(lines_of(result)), flush=True)
            results.append(result)
    if arguments.all and not arguments.model:
        folder.mkdir(parents=True, exist_ok=True)
        kept = record(results)
        (folder / f"{paper.name}.json").write_text(kept, encoding="utf-8")
        (folder / f"{paper.name}.md").write_text(page(paper, items, kept), encoding="utf-8")
    if arguments.data:
        from symlie.papers.pages import write_curves

        write_curves(results, Path(arguments.data))
    return results


def _report(arguments: Namespace, results: dict[str, list[Computed]]) -> int:
    from symlie.papers.pages import recorded
    from symlie.papers.running import failed

    failures = [f"{name}, {text}" for name, computed in results.items() for text in failed(computed)]
    if arguments.json:
        found = {name: [recorded(result) for result in computed] for name, computed in results.items()}
        print_json({"papers": found, "failures": failures, "status": "failed" if failures else "ok"})
    elif failures:
        print(f"{len(failures)} known numbers are not reproduced: {' '.join(failures)}")
    return 1 if failures else 0


def _list(arguments: Namespace, found: Sequence[Paper]) -> int:
    """List papers, with references, and their items."""
    from symlie.papers.pages import listed

    if arguments.json:
        print_json({"papers": {p.name: listed(p, p.items(arguments.quick)) for p in found}, "status": "ok"})
        return 0
    for paper in found:
        where = f" https://doi.org/{paper.doi}" if paper.doi else ""
        print(f"{paper.name}: {paper.reference}.{where}")
        for item in paper.items(arguments.quick):
            print(f"  {item.name}, {item.status}: {item.title}")
    return 0
