"""``symlie derive``: the equations of motion of a model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from symlie.cli.common import add_model, check_writable, model_options
from symlie.cli.values import path

SUMMARY = "Derive the equations of motion and print them as Markdown or LaTeX."
EXAMPLE = "symlie derive heavy_top -o group=SE3 --variational midpoint"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument("--latex", action="store_true", help="print LaTeX instead of Markdown")
    parser.add_argument("--newton", action="store_true", help="also derive and print the Newton matrices K, C and H")
    parser.add_argument(
        "--variational",
        metavar="NAME",
        nargs="?",
        const="trapezoid",
        help="also print momenta and stages of a discrete Lagrangian: trapezoid (default), midpoint, or FILE.py:name",
    )
    parser.add_argument("--out", metavar="FILE", type=path, help="write to a file (.md or .tex) instead")


def run(arguments: Namespace) -> int:
    """Run the command."""
    check_writable(arguments.out, (".md", ".tex"))
    from symlie.models.registry import build_model

    built = build_model(arguments.model, model_options(arguments))
    equations = built.derive()
    as_latex = arguments.latex or (arguments.out or "").endswith(".tex")
    shown = equations.latex if as_latex else equations.markdown
    text = shown(newton=arguments.newton, variational=arguments.variational)
    if arguments.out:
        Path(arguments.out).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        print(arguments.out)
    else:
        print(text.rstrip("\n"))
    if built.model.joints and not as_latex:
        print(f"\nMobility: {equations.compile(backend='numpy').mobility().line}.")
    return 0
