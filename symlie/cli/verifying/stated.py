"""``symlie verify FILE.toml`` and ``--paper``: user-defined or printed functions with thresholds."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from symlie.cli.output import Progress, print_json
from symlie.errors import SymlieError

if TYPE_CHECKING:
    from symlie.certify.stated_functions import StatedFunction, WrongCoefficient
    from symlie.certify.switched import AtSwitch
    from symlie.certify.verification import Row


@dataclass(frozen=True)
class Judged:
    """Verification results of one function."""

    function: StatedFunction
    wrong: Sequence[WrongCoefficient]
    row: Row
    beside: AtSwitch
    best: StatedFunction
    best_row: Row

    @property
    def passes(self) -> bool:
        """True if all coefficients are correct and the bound is within its target."""
        return self.row.is_proved and not self.wrong


def judge_stated(arguments: Namespace) -> int:
    """Verify the functions of a file or of a paper."""
    from symlie.certify.stated_functions import paper_functions, read_functions

    if arguments.paper and (arguments.what or arguments.all):
        raise SymlieError("--paper checks a printed table: omit other functions, groups and models, and --all.")
    if arguments.certificate:
        raise SymlieError("Certificates of user-defined functions are not available; omit --certificate.")
    functions = paper_functions(arguments.paper) if arguments.paper else read_functions(Path(arguments.what))
    if arguments.domain:
        functions = tuple(replace(f, domain=arguments.domain) for f in functions)
    found: list[Judged] = []
    with Progress(f"{len(functions)} functions") as progress:
        for function in functions:
            found.append(_judged(arguments, function))
            progress(len(found) / len(functions))
    if arguments.plot:
        _plot(arguments, found)
    passed = all(judged.passes for judged in found)
    if arguments.json:
        print_json({"functions": [_json(judged) for judged in found], "status": "ok" if passed else "not proved"})
    elif arguments.snippet:
        print("\n".join(judged.best.c_source(judged.function.name) for judged in found))
    else:
        _print(found)
    return 0 if passed else 1


def _judged(arguments: Namespace, function: StatedFunction) -> Judged:
    from symlie.certify.stated_functions import wrong_coefficients
    from symlie.certify.switched import best_switches, errors_at_switch, switched_subject
    from symlie.certify.verification import verify

    target = function.target if arguments.target is None else arguments.target
    (best,) = best_switches(function, [function.degree], arguments.contraction)
    rows = [
        result.rows[0]
        for result in verify(
            [switched_subject(f) for f in (function, best)],
            domain=function.domain,
            contraction=arguments.contraction,
            target=target,
        )
    ]
    beside = errors_at_switch(function, arguments.contraction)
    return Judged(function, wrong_coefficients(function), rows[0], beside, best, rows[1])


def _plot(arguments: Namespace, found: Sequence[Judged]) -> None:
    from symlie.certify.curves import comparison, stated_curves, title
    from symlie.runtime.plot.error_figure import plot_errors

    if arguments.paper:
        names = tuple(judged.function.name for judged in found)
        panels = comparison(names, upper=found[0].function.domain[1], contraction=arguments.contraction,
                            paper=arguments.paper)  # fmt: skip
        plot_errors({title(name): curves for name, curves in panels.items()}, arguments.plot)
        return
    stated, best = ([getattr(judged, which) for judged in found] for which in ("function", "best"))
    curves = stated_curves(stated, best, arguments.contraction)
    plot_errors({name.replace("_", " "): of for name, of in curves.items()}, arguments.plot)


def _json(judged: Judged) -> dict[str, object]:
    wrong = [{"power": w.power, "stated": str(w.stated), "exact": str(w.exact)} for w in judged.wrong]
    return {
        **asdict(judged.row),
        "wrong_coefficients": wrong,
        "at_switch": asdict(judged.beside),
        "best_switch": {
            "threshold": judged.best.threshold,
            "polynomial": judged.best.polynomial,
            "proved_eps": judged.best_row.proved_eps,
            "source": judged.best.c_source(judged.function.name),
        },
        "ok": judged.passes,
    }


def _print(found: Sequence[Judged]) -> None:
    from symlie.certify.verification import EPSILON
    from symlie.cli.verify import print_rows

    print_rows([judged.row for judged in found])
    print()
    for judged in found:
        name, eps = judged.function.name, EPSILON[judged.function.precision]
        for wrong in judged.wrong:
            print(f"{name}: {wrong}.")
        beside = judged.beside
        print(
            f"{name}: at the switch {judged.function.threshold:g} the polynomial errs by up to "
            f"{beside.polynomial / eps:.3g} eps, the closed form by up to {beside.closed_form / eps:.3g} eps; "
            f"best switch {judged.best.threshold:g}, proved {judged.best_row.proved_eps:.3g} eps."
        )
    if not all(judged.best_row.is_proved for judged in found):
        print("Longer polynomials help where the best switch is above its target: --suggest lists degrees.")
