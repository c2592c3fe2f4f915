"""``symlie equilibrium``: the static equilibrium of a model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from symlie.cli.common import SYSTEM, add, add_model, describe, system_of
from symlie.cli.output import print_json, print_table
from symlie.cli.report import MOST_NUMBERS
from symlie.cli.values import number
from symlie.errors import EquilibriumError, ModelError

if TYPE_CHECKING:
    from symlie.runtime.layout.layout import Array
    from symlie.runtime.layout.slices import NodeSlice
    from symlie.runtime.statics.equilibrium import Equilibrium
    from symlie.runtime.system.system import System

SUMMARY = "Compute the static equilibrium that is reached from the initial configuration."
EXAMPLE = "symlie equilibrium heavy_top -o group=SE3"

MOST_NEUTRAL = 24
"""Number of modes that are searched for directions without stiffness."""

MOST_NODES = 12
"""Maximum number of nodes of an array that are printed."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    add_equilibrium(parser)
    path = parser.add_argument_group("path of equilibria")
    path.add_argument("--path", metavar="NAME", help="follow the equilibria while a parameter, an input or t varies")
    path.add_argument("--until", type=number, metavar="VALUE", help="value at which the path ends")
    path.add_argument("--points", type=int, default=200, metavar="N", help="largest number of points; default: 200")
    path.add_argument("--largest-step", type=number, default=0.1, help="largest arc length of a step; default: 0.1")
    add(parser, *SYSTEM, "--json")


def add_equilibrium(parser: ArgumentParser) -> None:
    """Add the arguments for finding an equilibrium."""
    parser.add_argument("--t", type=number, default=0.0, metavar="T", help="time of loads and constraints; default: 0")
    parser.add_argument(
        "--tolerance",
        type=number,
        default=1e-9,
        help="largest Newton correction in rad, or relative to the size of the system; default: 1e-9",
    )
    parser.add_argument(
        "--load-steps",
        type=int,
        default=1,
        metavar="N",
        help="number of steps that release unbalanced forces; default: 1",
    )
    parser.add_argument(
        "--max-iterations",
        type=int,
        default=1000,
        metavar="N",
        help="largest number of Newton steps per load step; default: 1000",
    )
    parser.add_argument(
        "--unstable", action="store_true", help="accept steps against the forces, which may lead to unstable equilibria"
    )


def find(arguments: Namespace, system: System) -> Equilibrium:
    """Find the equilibrium for the arguments."""
    return system.static_equilibrium(
        arguments.t,
        tolerance=arguments.tolerance,
        load_steps=arguments.load_steps,
        stable=not arguments.unstable,
        max_iterations=arguments.max_iterations,
    )


def run(arguments: Namespace) -> int:
    """Run the command."""
    import numpy as np

    describe(arguments)
    system = system_of(arguments)
    found = find(arguments, system)
    if arguments.path is not None:
        return _follow(arguments, system, found)
    layout = system.layout
    multipliers = named_multipliers(system, found.multipliers)
    energy = system.kernels.energy(system.prepared, arguments.t, found.q, np.zeros(layout.dimension))[1]
    arguments.result.update(
        status="ok",
        t=arguments.t,
        q={n.name: n.by_node(found.q[None], velocity=False)[0].tolist() for n in layout.nodes},
        multipliers={name: values.tolist() for name, values in multipliers.items()},
        potential_energy=float(energy),
        iterations=found.iterations,
    )
    neutral = _neutral_directions(arguments, system, found)
    if neutral is not None:
        arguments.result["neutral_directions"] = neutral
    if arguments.json:
        print_json(arguments.result)
        return 0
    options = "".join(f" {name}={value}" for name, value in layout.options.items())
    print(f"{layout.name}{options}: static equilibrium at t = {arguments.t:g} s, {found.iterations} iterations\n")
    rows = [row for node in layout.nodes for row in _rows(node, found.q)]
    rows += [(f"λ {name}", _numbers_or_largest(values)) for name, values in multipliers.items()]
    print_table([*rows, ("potential energy [J]", f"{energy:.9g}")])
    if neutral:
        directions = "1 direction" if neutral == 1 else f"{neutral} directions"
        print(f"\nNothing holds it in {directions}, such as rigid-body motions; it is one of many equilibria.")
    return 0


def _neutral_directions(arguments: Namespace, system: System, found: Equilibrium) -> int | None:
    """Return the number of independent zero modes among the slowest modes, or None if undetermined."""
    import numpy as np

    try:
        linear = system.linearize(found.q, found.multipliers, arguments.t, modes=MOST_NEUTRAL)
    except EquilibriumError:
        return None
    shapes = linear.shapes[linear.zero_modes]
    return int(np.linalg.matrix_rank(np.vstack([shapes.real, shapes.imag]))) if len(shapes) else 0


def _follow(arguments: Namespace, system: System, found: Equilibrium) -> int:
    """Follow a path of equilibria and print its points."""
    if arguments.until is None:
        raise ModelError("A path requires an end value; give --until VALUE.")
    path = system.equilibrium_path(
        arguments.path,
        arguments.until,
        t=arguments.t,
        start=found,
        largest_step=arguments.largest_step,
        max_points=arguments.points,
        tolerance=arguments.tolerance,
    )
    critical = sorted((*path.limit_points, *path.bifurcation_points), key=lambda p: p.arc_length)
    arguments.result.update(
        status="ok",
        parameter=path.parameter,
        end=path.end,
        values=path.values.tolist(),
        arc_lengths=path.arc_lengths.tolist(),
        unstable=path.unstable.tolist(),
        outputs={name: values.tolist() for name, values in path.outputs.items()},
        critical=[
            {"kind": p.kind, "value": p.value, "arc_length": p.arc_length, "directions": len(p.directions)}
            for p in critical
        ],
    )
    if arguments.json:
        print_json(arguments.result)
        return 0
    print(f"{system.layout.name}: path of equilibria over {path.parameter}, {len(path.values)} points\n")
    scalar = {name: values for name, values in path.outputs.items() if values.ndim == 1}
    rows = [("arc length", path.parameter, "unstable directions", *scalar)]
    for k in range(len(path.values)):
        numbers_of = (f"{values[k]:.6g}" for values in scalar.values())
        rows.append((f"{path.arc_lengths[k]:.4g}", f"{path.values[k]:.8g}", str(path.unstable[k]), *numbers_of))
    print_table(rows)
    for p in critical:
        multiple = f" of multiplicity {len(p.directions)}" if len(p.directions) > 1 else ""
        print(f"\n{p.kind} point{multiple} at {path.parameter} = {p.value:.8g}, arc length {p.arc_length:.4g}")
    return 0


def named_multipliers(system: System, multipliers: Array) -> dict[str, Array]:
    """Return λ by constraint, shape (rows,), or (elements, rows) for constraints of element types."""
    parts = system.layout.constraints.items()
    return {name: multipliers[part.rows if part.is_array else part.rows[0]] for name, part in parts}


def _rows(node: NodeSlice, q: Array) -> list[tuple[str, str]]:
    values = q[node.storage].reshape(node.count, -1)
    shown = list(range(node.count))
    if node.count > MOST_NODES:
        step = -(-node.count // MOST_NODES)
        shown = sorted({*range(0, node.count, step), node.count - 1})
    rows = []
    for k in shown:
        name = f"{node.name}[{k}]" if node.is_array else node.name
        for field in node.type.storage_fields:
            rows.append((f"{name}.{field.name}", numbers(values[k, field.part])))
    return rows


def numbers(values: Iterable[float]) -> str:
    """Format numbers in columns, with round-off relative to larger ones set to zero."""
    small = 1e-12 * max(1.0, max((abs(float(x)) for x in values), default=0.0))
    return "  ".join(f"{0.0 if abs(float(x)) < small else float(x):12.8g}" for x in values)


def _numbers_or_largest(values: Array) -> str:
    if values.size <= MOST_NUMBERS:
        return numbers(values.ravel())
    return f"{values.size} numbers, largest {abs(values).max():.8g}"
