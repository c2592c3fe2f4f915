"""``symlie paper``: run, draw and judge figures, tables and sentences of five papers."""

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

SUMMARY = "Run, draw and judge figures, tables and sentences of the papers."
DETAILS = """

Without arguments, the papers and their items are listed. An item is 'reproduced', where numbers match those that are
printed, perhaps 'in part'; 'corrected', where the paper has something wrong; or 'schematic', a drawing without data. A
sentence is 'confirmed', 'refuted', or 'not reproduced', where our number is another one. Each prints the numbers that
its picture shows; numbers that are known must hold, and the exit code is 1 if one does not.

With --model, a model of your own takes the place of those of the paper, in the same layout, and no bounds apply. It is
built with those options of the paper's model that it has; formulations whose options it does not have are left out."""
EXAMPLE = """symlie paper
  symlie paper tumiotto2024 --figure 3
  symlie paper tumiotto2024 --figure 1 --model my_top.py --data my_top.csv
  symlie paper tumiotto2024 --all --out papers --quick"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("paper", metavar="PAPER", nargs="?", help="short name, such as tumiotto2024")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--figure", metavar="N", help="a figure")
    chosen.add_argument("--table", metavar="N", help="a table")
    chosen.add_argument("--claims", action="store_true", help="the sentences")
    chosen.add_argument("--all", action="store_true", help="everything; without PAPER, of all papers")
    parser.add_argument(
        "--out", metavar="DIR", type=path, help="folder for pictures and, with --all, pages; default: here"
    )
    parser.add_argument("--quick", action="store_true", help="fewer points and shorter runs")
    parser.add_argument("--model", metavar="FILE.py", type=path, help="a model of your own in place of the paper's")
    parser.add_argument("--data", metavar="FILE.csv", type=path, help="write the curves")
    add(parser, "--progress", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    from symlie.packages import require
    from symlie.papers.library import paper_of, papers

    runs = arguments.figure or arguments.table or arguments.claims or arguments.all
    if arguments.paper is None and not arguments.all:
        if runs:
            raise UnknownNameError("Name the paper too, as in: symlie paper tumiotto2024 --figure 3.")
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
        raise SymlieError("--data writes the curves of one paper; name it.")
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
            raise UnknownNameError(f"No sentences of {paper.name} are judged here.")
        return claims
    kind = "figure" if arguments.figure else "table"
    return [item_of(paper, items, kind, arguments.figure or arguments.table)]


def _run(arguments: Namespace, paper: Paper, items: Sequence[Item], chosen: Sequence[Item]) -> list[Computed]:
    """Compute and draw items, and write the page of a paper if it is complete."""
    from symlie.papers.drawing import draw
    from symlie.papers.pages import lines_of, page, record
    from symlie.papers.running import compute
    from symlie.papers.studies import Session
    from symlie.progress_bar import ProgressBar

    folder = Path(arguments.out or ".")
    results: list[Computed] = []
    if arguments.model and not arguments.json:
        print(
            f"With {arguments.model} in place of the models of {paper.name}; errors are those against its finest run."
        )
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
        print(f"{len(failures)} known numbers do not hold: {' '.join(failures)}")
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
