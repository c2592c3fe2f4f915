"""``symlie verify``: prove and measure the accuracy of coefficient functions."""

from __future__ import annotations

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.cli.common import add, model_options
from symlie.cli.output import Progress, print_json, print_table
from symlie.cli.values import option, path
from symlie.errors import SymlieError, UnknownNameError
from symlie.utilities.packages import require
from symlie.utilities.trust import check_trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symlie.certify.subjects import Subject
    from symlie.certify.verification import Row

SUMMARY = "Prove bounds for the errors of coefficient functions, as written in C, and measure the errors."
DETAILS = """

The proof encloses approximation and rounding errors in ball arithmetic; it needs python-flint (extra 'verify').
Errors are in units of eps, the spacing of numbers at one (2**-52; single precision 2**-23), relative to the function,
or to its value at 0 if it has zeros. The exit code is 1 if a bound exceeds its target or a measured error its bound.

FILE.toml contains user-defined functions, one table [NAME] each, with closed_form = "(w - sin(w)) / w**3", polynomial =
"1/6 - w**2/120", threshold = 1e-4 and, optionally, domain = [0, "pi"], precision = "float", target = 4 and title. The
polynomial is compared with the Taylor series, errors are bounded on both sides of the threshold, and the best threshold
is computed; --snippet prints C code with it. --paper checks the tables of papers in the same way."""
EXAMPLE = """symlie verify SE3
  symlie verify c3 --domain 0,3.14159
  symlie verify c3 --derivatives 24
  symlie verify thresholds.toml --snippet
  symlie verify --all"""


SUGGESTED_DEGREES = (2, 4, 6, 8, 10)
"""Degrees in z of the polynomials for suggested thresholds."""


LARGEST_ANGLE = 1e6
"""Largest ω of a domain, in rad."""


def _domain(text: str) -> tuple[float, float]:
    try:
        lower, upper = (float(word) for word in text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"{text} is not two numbers, as in 0,3.14") from None
    if not max(abs(lower), abs(upper)) <= LARGEST_ANGLE:
        raise ArgumentTypeError(f"{text} must lie within {LARGEST_ANGLE:g} rad")
    return lower, upper


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        type=path,
        nargs="?",
        help="function (c2, c2_1, g0), group (SE3), model (name or Python file), folder of generated code, or "
        "FILE.toml with user-defined functions",
    )
    parser.add_argument(
        "-o", dest="options", metavar="KEY=VALUE", type=option, action="append", default=[], help="option of a model"
    )
    parser.add_argument(
        "--all", action="store_true", help="all functions of the package in double and single precision"
    )
    parser.add_argument(
        "--check", metavar="FILE", type=path, help="prove a certificate again, with an independent checker"
    )
    parser.add_argument("--certificate", metavar="FILE", type=path, help="write a certificate, a JSON file")
    parser.add_argument("--paper", choices=("tumiotto2024", "holzinger2024"), help="check the printed table of a paper")
    parser.add_argument(
        "--operators", action="store_true", help="for a group: errors of the matrices exp, log, T, T⁻¹ and derivatives"
    )
    parser.add_argument(
        "--derivatives",
        metavar="N",
        type=int,
        help="errors of the Taylor coefficients f⁽ʲ⁾(z)/j!, j = 1 … N, for the method taylor (c2, c2_1, g0, a0)",
    )
    parser.add_argument("--suggest", action="store_true", help="best threshold of a printed formula for each degree")
    parser.add_argument(
        "--snippet", action="store_true", help="for FILE.toml: C code of the functions with the best threshold"
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        type=path,
        help="draw errors in ulp versus ω, also of formulas printed in papers (PNG, PDF, SVG)",
    )
    parser.add_argument("--domain", metavar="A,B", type=_domain, help="interval of ω; default: up to π/2, π and 2π")
    parser.add_argument("--precision", choices=("double", "float"), default="double", help="default: double")
    parser.add_argument(
        "--target", metavar="EPS", type=float, help="largest bound that passes; default: 4, less up to π/2"
    )
    parser.add_argument(
        "--contraction",
        choices=("any", "off", "on"),
        default="any",
        help="fused multiply-add by the compiler: possible (any, default), excluded (off) or always (on)",
    )
    add(parser, "--trust", "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.plot:
        _check_plot(arguments)
    if arguments.check:
        return _check(arguments)
    require("A proof", "flint", "pycparser")
    from symlie.certify.verification import verify

    if arguments.derivatives is not None:
        from symlie.cli.verifying.derivatives import judge_derivatives

        return judge_derivatives(arguments)
    if arguments.suggest:
        return _suggest(arguments)
    if arguments.operators:
        return _operators(arguments)
    if arguments.paper or Path(arguments.what or "").suffix == ".toml":
        from symlie.cli.verifying.stated import judge_stated

        return judge_stated(arguments)
    if arguments.snippet:
        raise SymlieError("--snippet requires user-defined functions, as in: symlie verify FILE.toml --snippet.")
    subjects = _subjects(arguments)
    with Progress(f"{len(subjects)} functions") as progress:
        results = verify(
            subjects,
            domain=arguments.domain,
            contraction=arguments.contraction,
            target=arguments.target,
            progress=progress,
        )
    series = _series_rows(arguments)
    if arguments.certificate:
        from symlie.certify.certificate import certificate, entry, prover_versions
        from symlie.certify.series import series_entries

        entries = [*map(entry, results), *(series_entries() if series else ())]
        Path(arguments.certificate).write_text(certificate(entries, prover_versions()), encoding="utf-8")
    if arguments.plot:
        _plot(arguments, [r.subject.base_name.removeprefix("-") for r in results])
    return _report(arguments, [*(row for r in results for row in r.rows), *series])


def _check_plot(arguments: Namespace) -> None:
    """Raise an error before any proof if the figure cannot be drawn."""
    from symlie.runtime.plot.style import check_drawing

    if arguments.check or arguments.suggest or arguments.operators:
        raise SymlieError("--plot draws coefficient functions; leave out --check, --suggest and --operators.")
    check_drawing(arguments.plot)


def _plot(arguments: Namespace, names: Sequence[str]) -> None:
    """Draw the errors of functions, and of the pairs printed in papers."""
    from symlie.certify.curves import comparison, title
    from symlie.runtime.plot.error_figure import plot_errors

    if not names:
        raise SymlieError(f"{arguments.what} has no coefficient functions to draw.")
    upper = arguments.domain[1] if arguments.domain else math.pi
    panels = comparison(
        tuple(dict.fromkeys(names)),
        upper=upper,
        contraction=arguments.contraction,
        precision=arguments.precision,
    )
    plot_errors({title(name): curves for name, curves in panels.items()}, arguments.plot)


def _check(arguments: Namespace) -> int:
    """Verify a certificate and its agreement with the C files in its folder."""
    from symlie.certify.certificate import check_file

    checked = check_file(Path(arguments.check))
    if arguments.json:
        rows = [{"name": name, "status": status} for name, status in checked.items()]
        print_json({"functions": rows, "status": "ok"})
        return 0
    print_table(checked.items(), indent="")
    return 0


def _operators(arguments: Namespace) -> int:
    """Print the errors of the operators of a group as matrices."""
    from symlie.certify.matrices import verify_operators
    from symlie.models.groups import group_of

    if arguments.what is None:
        raise SymlieError("--operators requires the name of a group, as in: symlie verify SE3 --operators.")
    group = group_of(arguments.what)
    with Progress(f"{group}: values in 60 digits") as progress:
        rows = verify_operators(group, arguments.precision, progress)
    passed = all(row.passes for row in rows)
    if arguments.json:
        print_json({"operators": [asdict(r) | {"ok": r.passes} for r in rows], "status": "ok" if passed else "failed"})
    else:
        lines = [("operator", "target", "proved", "measured", "at angle", "evidence")]
        for row in rows:
            proved = "" if row.proved_eps is None else f"{row.proved_eps:.3g} eps"
            mark = "" if row.passes else "above its target or bound: "
            lines.append(
                (
                    row.operator,
                    f"{row.target:g} eps",
                    proved,
                    f"{row.measured_eps:.3g} eps",
                    f"{row.measured_at:.4g}",
                    mark + row.evidence,
                )
            )
        print_table(lines, indent="")
    return 0 if passed else 1


def _suggest(arguments: Namespace) -> int:
    """Print suggested thresholds by degree, with proved and measured errors."""
    from symlie.certify.stated_functions import printed_function, read_functions
    from symlie.certify.switched import best_switches, switched_subject
    from symlie.certify.verification import verify

    if arguments.what is None:
        raise SymlieError(
            "--suggest requires the name of a function, as in: symlie verify c3 --suggest, or with FILE.toml."
        )
    is_file = Path(arguments.what).suffix == ".toml"
    rows: list[Row] = []
    for function in read_functions(Path(arguments.what)) if is_file else [printed_function(arguments.what)]:
        stated = function if arguments.domain is None else replace(function, domain=arguments.domain)
        switches = best_switches(stated, SUGGESTED_DEGREES, arguments.contraction)
        target = math.inf if arguments.target is None else arguments.target
        subjects = [switched_subject(t) for t in switches]
        results = verify(subjects, domain=stated.domain, contraction=arguments.contraction, target=target)
        rows += [row for r in results for row in r.rows]
    return _report(arguments, rows)


def _subjects(arguments: Namespace) -> list[Subject]:
    from symlie.certify.source_text import NAME
    from symlie.certify.subjects import (
        folder_subjects,
        group_names,
        named_subject,
        source_subjects,
        standard_names,
    )

    what = arguments.what
    if (what is not None) + bool(arguments.all) != 1:
        raise SymlieError("Name a function, a group, a model or a folder, or FILE.toml, or give --all or --paper.")
    if arguments.all:
        return [named_subject(name, p) for p in ("double", "float") for name in standard_names()]
    if NAME.fullmatch(what):
        return [named_subject(what, arguments.precision)]
    if Path(what).is_dir():
        check_trust(f"The folder {what}", "measure the errors of its functions", trust=arguments.trust)
        return folder_subjects(Path(what))
    from symlie.models.groups import group_of

    try:
        names = group_names(group_of(what))
    except UnknownNameError as unknown_group:
        from symlie.models.registry import model_names

        if what not in model_names() and not what.endswith(".py"):
            raise UnknownNameError(
                f"'{what}' is not a function such as c2_1, a group, a model of 'symlie list' or a folder."
            ) from unknown_group
        return source_subjects(_model_sources(what, model_options(arguments)))
    if not names and not _series_rows(arguments):
        raise SymlieError(f"{what} needs no coefficient function: its exp and T are polynomials.")
    return [named_subject(name, arguments.precision) for name in names]


def _series_rows(arguments: Namespace) -> Sequence[Row]:
    """Return table rows for the matrix functions of a group without closed forms."""
    from symlie.certify.series import series_rows
    from symlie.models.groups import group_of

    try:
        return series_rows(group_of(arguments.what)) if arguments.what else ()
    except UnknownNameError:
        return ()


def _model_sources(model: str, options: dict[str, object]) -> list[str]:
    from symlie.models.registry import build_model
    from symlie.publish.sets import generated_files, set_files

    equations = build_model(model, options).derive()
    files = generated_files(equations) | set_files(equations, "newton")
    return [text for name, text in sorted(files.items()) if name.endswith((".c", ".h"))]


def _report(arguments: Namespace, rows: Sequence[Row]) -> int:
    passed = all(row.is_proved for row in rows)
    if arguments.json:
        functions = [asdict(row) | {"ok": row.is_proved} for row in rows]
        print_json({"functions": functions, "status": "ok" if passed else "not proved"})
    else:
        print_rows(rows)
    return 0 if passed else 1


def print_rows(rows: Sequence[Row]) -> None:
    """Print rows as a table."""
    head = (
        "function",
        "precision",
        "scheme",
        "degree",
        "ω up to",
        "switch",
        "relative to",
        "proved",
        "measured",
        "at ω",
    )
    lines = [head]
    for row in rows:
        reason = f"above its target of {row.target:g}" if row.proved_eps > row.target else "measured above its bound"
        mark = "" if row.is_proved else f"  {reason}"
        lines.append(
            (
                row.name,
                row.precision,
                row.scheme,
                str(row.degree),
                _end(row),
                "" if row.switch is None else f"{row.switch:.4g}",
                row.relative_to,
                f"{row.proved_eps:.4g} eps",
                f"{row.measured_eps:.4g} eps",
                f"{row.measured_at:.4g}{mark}",
            )
        )
    print_table(lines, indent="")


def _end(row: Row) -> str:
    """Return the upper end of the interval of ω, or of the norm of matrices."""
    end = row.interval[1]
    if "truncation" in row.scheme:
        return f"‖A‖ = {end:g}"
    for factor, name in ((0.5, "π/2"), (1, "π"), (2, "2π")):
        if abs(end / (factor * math.pi) - 1) < 1e-6:
            return name
    return f"{end:.6g}"
