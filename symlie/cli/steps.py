"""Arguments for time steps: fixed or adaptive, controller and stabilisation."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from symlie.cli.common import add
from symlie.cli.values import number, numbers, path, quantity, whole

CONTROLLER = "tumiotto2024"
"""Default controller."""


METHOD_HELP = "name from 'symlie list', a TOML file with a tableau, or FILE.py:name of a method or discrete Lagrangian"
"""Help text for a method."""


DEFAULT_END = 1.0
"""Default end time, in s."""


def add_method(parser: ArgumentParser) -> None:
    """Add the arguments for a method and its steps."""
    parser.add_argument(
        "--method",
        type=path,
        help=f"{METHOD_HELP}; default: usually half_explicit_5, see 'symlie list --for MODEL'; with bdfK of index 3 "
        "λ has order K-1 for K steps after each change of h",
    )
    _add_steps(parser)


def add_integration(parser: ArgumentParser) -> None:
    """Add the arguments of an integration: method, steps and times."""
    add_method(parser)
    parser.add_argument(
        "--t-end", type=number, metavar="T", help="end time in s; default: the last time of --t-eval, else 1"
    )
    parser.add_argument(
        "--t-eval", type=numbers, metavar="T,T,…", help="output times in s, reached exactly; default: the end"
    )


def end_of(arguments: Namespace) -> float:
    """Return the end time, in s."""
    if arguments.t_end is not None:
        return float(arguments.t_end)
    return float(arguments.t_eval[-1]) if arguments.t_eval else DEFAULT_END


def _add_steps(parser: ArgumentParser) -> None:
    add(parser, "--method-option")
    parser.add_argument("--h", type=number, metavar="STEP", help="fixed step size in s, such as 1e-3 or 2**-11")
    parser.add_argument("--rtol", type=number, metavar="TOL", help="adaptive steps: relative tolerance; default: 1e-6")
    parser.add_argument("--atol", type=number, metavar="TOL", help="absolute tolerance; default: rtol/100")
    parser.add_argument("--h0", type=number, metavar="STEP", help="first adaptive step in s; default: estimated")
    parser.add_argument(
        "--controller",
        default=CONTROLLER,
        metavar="NAME",
        help=f"tumiotto2024, holzinger2024 or celledoni2022; default: {CONTROLLER}",
    )
    parser.add_argument(
        "--controller-option",
        dest="controller_options",
        metavar="KEY=VALUE",
        type=quantity,
        action="append",
        default=[],
        help="safety, exponent, fac_min, fac_max, h_min or h_max; repeat for several",
    )
    parser.add_argument(
        "--max-steps",
        type=whole,
        metavar="N",
        help="largest number of steps between two stop times, such as output times; default: 1e9 for adaptive steps",
    )
    add(parser, "--stabilize")


def steps_of(arguments: Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `solve`."""
    return {
        "method_options": dict(arguments.method_options),
        "h": arguments.h,
        "rtol": arguments.rtol,
        "atol": arguments.atol,
        "h0": arguments.h0,
        "controller": arguments.controller,
        "controller_options": dict(arguments.controller_options),
        "stabilize": arguments.stabilize,
        **({} if arguments.max_steps is None else {"max_steps": arguments.max_steps}),
    }
