"""``symlie fit``: parameters and initial values of a model from measured outputs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from symlie.cli.common import PICTURES, SYSTEM, add, add_model, check_writable, describe, system_of
from symlie.cli.output import print_json, print_table
from symlie.cli.steps import add_method, steps_of
from symlie.cli.values import names, number, path, quantity, whole

if TYPE_CHECKING:
    from symlie.runtime.study.fit.result import Fit

SUMMARY = "Fit parameters and initial values of a model to measured outputs, by least squares."
DETAILS = """

The data are .csv or .nc files with the times t, in s, and outputs of the model; components of vectors have the names
NAME[0], NAME[1], …. Several files are fitted at once. Values that the data do not determine are named."""
EXAMPLE = """symlie fit pendulum.py measured.csv --parameters length,mass --outputs height --plot fit.png
  symlie fit pendulum.py first.csv second.csv --parameters length --bounds 'length=[0.5,2]' --prior 'length=[1,0.1]'"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument("data", metavar="DATA", type=path, nargs="+", help="file with a record, .csv or .nc")
    parser.add_argument(
        "--parameters",
        dest="fitted",
        type=names,
        required=True,
        metavar="NAME,…",
        help="parameters, or initial values NODE.FIELD and JOINT.COORDINATE; lever[1] is one component",
    )
    parser.add_argument("--outputs", type=names, metavar="NAME,…", help="outputs to be fitted; default: all in DATA")
    for name, form, content in (
        ("bounds", "[LOW,HIGH]", "bounds of a value, null if there is none"),
        ("prior", "[VALUE,DEVIATION]", "expected value and standard deviation"),
        ("noise", "DEVIATION", "standard deviation of an output; default: estimated; if given, for all outputs"),
    ):
        parser.add_argument(
            f"--{name}",
            type=quantity,
            action="append",
            default=[],
            metavar=f"NAME={form}",
            help=f"{content}; repeat for several",
        )
    parser.add_argument(
        "--unphysical", action="store_true", help="accept masses and inertias that no body has, such as negative ones"
    )
    parser.add_argument("--start", type=number, default=0.0, metavar="T", help="time of initial values, s; default: 0")
    parser.add_argument(
        "--max-evaluations", type=whole, default=100, metavar="N", help="largest number of runs; default: 100"
    )
    parser.add_argument("--equilibrium", action="store_true", help="the data belong to static equilibria, not to runs")
    add_method(parser)
    add(parser, *SYSTEM, "--redundant")
    parser.add_argument("--plot", metavar="FILE", type=path, help="draw data, model and residuals")
    add(parser, "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments, data=list(arguments.data))
    check_writable(arguments.plot, PICTURES)
    noise = {name: _reciprocal(name, deviation) for name, deviation in arguments.noise}
    system = system_of(arguments)
    from symlie.runtime.study.fit.fitting import fit

    found = fit(
        system,
        arguments.data,
        arguments.fitted,
        outputs=arguments.outputs,
        weights=noise or None,
        bounds=dict(arguments.bounds),
        priors=dict(arguments.prior),
        physical=not arguments.unphysical,
        of="equilibrium" if arguments.equilibrium else "motion",
        start=arguments.start,
        max_evaluations=arguments.max_evaluations,
        **({} if arguments.method is None else {"method": arguments.method}),
        **{name: value for name, value in steps_of(arguments).items() if value and value != "none"},
    )
    if arguments.plot:
        found.plot(arguments.plot)
    arguments.result.update(_json(found))
    if arguments.json:
        print_json(arguments.result)
    else:
        _print(found)
    return 0


def _reciprocal(name: str, deviation: object) -> float:
    from symlie.errors import ModelError

    if not isinstance(deviation, float | int) or not deviation > 0:
        raise ModelError(f"The noise of '{name}' must be a positive number, not {deviation!r}.")
    return 1 / deviation


def _json(found: Fit) -> dict[str, object]:
    return {
        "status": "ok" if found.has_converged else "not converged",
        "values": dict(found),
        "units": dict(zip(found.names, found.units, strict=True)),
        "standard_errors": dict(zip(found.names, found.standard_errors.tolist(), strict=True)),
        "covariance": found.covariance.tolist(),
        "singular_values": found.singular_values.tolist(),
        "rank": found.rank,
        "unidentifiable": list(found.unidentifiable),
        "noise": dict(found.noise),
        "evaluations": found.evaluations,
    }


def _print(found: Fit) -> None:
    count = sum(values.size for record in found.data for values in record.values())
    kind = "searches for equilibria" if found.equilibria else "runs"
    print(f"{found.system.name}: fit of {count} data, {found.evaluations} {kind} of each record\n")
    units = [f"[{unit}]" if unit else "" for unit in found.units]
    rows = zip(found.names, units, found.array.tolist(), found.standard_errors.tolist(), strict=True)
    table = [(name, unit, f"{value:.9g}", _error_text(error)) for name, unit, value, error in rows]
    outputs = found.system.layout.outputs
    table += [
        (f"residuals of {name}", f"[{outputs[name][1]}]", f"{value:.3g}", "") for name, value in found.noise.items()
    ]
    print_table(table)


def _error_text(error: float) -> str:
    return f"± {error:.2g}" if error == error else "not determined"
