"""``symlie modes``: frequencies and mode shapes about the static equilibrium or a steady motion of a model."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from symlie.cli.common import SYSTEM, add, add_model, describe, system_of
from symlie.cli.equilibrium import add_equilibrium, find
from symlie.cli.output import print_json, print_table
from symlie.errors import ModelError

if TYPE_CHECKING:
    from symlie.runtime.linear.spectrum import Complex
    from symlie.runtime.statics.linearization import Linearization

SUMMARY = "Compute frequencies, damping and shapes of small motions about an equilibrium or a steady motion."
EXAMPLE = "symlie modes heavy_top -o group=SE3 --count 3"

NEGLIGIBLE = 1e-6
"""Damping ratio below which zero is printed."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument(
        "--count", type=_count, default=6, metavar="N", help="number of modes, slowest first; default: 6"
    )
    about = parser.add_mutually_exclusive_group()
    about.add_argument(
        "--at-initial", dest="at_start", action="store_true", help="about the initial configuration, at rest"
    )
    about.add_argument("--motion", action="store_true", help="about the steady motion that contains the initial state")
    parser.add_argument(
        "--frame",
        action="append",
        default=[],
        metavar="NODE=ZETA",
        help="with --motion: velocity, in the Lie algebra, of a body that spins about its axis of symmetry, "
        "such as 'wheel=[0,3,0,0,0,0]'",
    )
    add_equilibrium(parser)
    add(parser, *SYSTEM, "--json")


def _count(text: str) -> int:
    if not (text.isdecimal() and int(text) > 0):
        raise ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def run(arguments: Namespace) -> int:
    """Run the command."""
    describe(arguments)
    system = system_of(arguments)
    v = multipliers = None
    if arguments.motion or arguments.at_start:
        state = system.consistent_state(arguments.t)
        q, v = state.q, state.v if arguments.motion else None
    else:
        q, multipliers, _ = find(arguments, system)
    frame = dict(_frame(text) for text in arguments.frame)
    modes = system.linearize(q, multipliers, arguments.t, v=v, frame=frame, modes=arguments.count)
    arguments.result.update(
        status="ok",
        t=arguments.t,
        q={n.name: n.by_node(q[None], velocity=False)[0].tolist() for n in system.layout.nodes},
        frequencies=modes.frequencies.tolist(),
        damping_ratios=modes.damping_ratios.tolist(),
        eigenvalues=[[s.real, s.imag] for s in modes.eigenvalues.tolist()],
        shapes=[{name: _parts(part) for name, part in modes.shape(k).items()} for k in range(len(modes.frequencies))],
        modes=modes.modes.tolist(),
        accuracy=modes.accuracy.tolist(),
        zero_modes=modes.zero_modes.tolist(),
        stable=modes.is_stable,
        resolved=modes.is_resolved,
    )
    if arguments.json:
        print_json(arguments.result)
    else:
        rest = "initial configuration" if arguments.at_start else "static equilibrium"
        _print(modes, "initial motion" if arguments.motion else rest)
    return 0


def _frame(text: str) -> tuple[str, list[float]]:
    name, _, value = text.partition("=")
    try:
        return name, [float(x) for x in json.loads(value)]
    except (TypeError, ValueError):
        raise ModelError(f"--frame {text!r} is not of the form NODE=[number, …].") from None


def _parts(shape: Complex) -> dict[str, object]:
    return {"real": shape.real.tolist(), "imag": shape.imag.tolist()}


def _print(modes: Linearization, about: str) -> None:
    layout = modes.system.layout
    options = "".join(f" {name}={value}" for name, value in layout.options.items())
    print(f"{layout.name}{options}: small motions about the {about} at t = {modes.t:g} s\n")
    rows = [("mode", "frequency [Hz]", "damping ratio", "eigenvalue [1/s]", "largest component")]
    for k in modes.modes.tolist():
        s, ratio = modes.eigenvalues[k], modes.damping_ratios[k]
        component = int(abs(modes.shapes[k]).argmax())
        rows.append(
            (
                str(len(rows)),
                f"{modes.frequencies[k]:.8g}",
                f"{ratio:.4g}" if abs(ratio) > NEGLIGIBLE else "0",
                f"{s.real if abs(ratio) > NEGLIGIBLE else 0.0:.6g}{s.imag:+.6g}i",
                layout.velocity_name(component),
            )
        )
    print_table(rows)
    if len(modes.modes) < len(modes.eigenvalues):
        print("\nOf each pair of conjugate eigenvalues one is shown.")
    if len(modes.zero_modes):
        known = modes.accuracy[modes.zero_modes].max()
        print(
            f"\n{len(modes.zero_modes)} eigenvalues are zero, within {known:.2g} 1/s: nothing holds these motions, "
            "such as rigid-body motions."
        )
    if not modes.is_resolved:
        print("\nRounding leaves its stability open.")
    elif not modes.is_stable:
        print("\nIt is unstable: motions along modes with positive eigenvalues grow.")
