"""Items of [Holzinger2024] on data: examples of the literature, and parameters of the models."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symlie.models.registry import model_names
from symlie.papers.facts import Stated
from symlie.papers.holzinger2024.compared import HELD_TOP, SLIDER_CRANK
from symlie.papers.items import Item, Number, Table
from symlie.papers.studies import Case
from symlie.runtime.system.system import System

EXAMPLES = (
    ("Free rotating rigid body", "free_rigid_body"),
    ("Heavy top with kinematic constraints", "heavy_top -o group=SO3xR3"),
    ("Heavy top without kinematic constraints", "heavy_top -o group=SO3"),
    ("Rotating body with follower torque", "docs/mechanisms.md"),
    ("Slider–crank mechanism", "slider_crank"),
    ("Spherical double pendulum", "pendulum_chain -o links=2"),
    ("Flyball governor with compliant joints", "docs/mechanisms.md"),
    ("Spacecraft with reaction wheels", "docs/mechanisms.md"),
    ("Orthogonal Bricard mechanism", "docs/gallery/mechanisms/plot_redundant_bricard.py"),
    ("Two quadrotors transporting a mass point", "quadrotors"),
    ("Satellite with 5-DOF manipulator", "docs/mechanisms.md"),
    ("Interconnected floating bodies", "docs/mechanisms.md"),
    ("Closed loop spherical 3-bar linkage", "docs/mechanisms.md"),
    ("Dual-spin satellite", "docs/mechanisms.md"),
    ("Three bodies with two revolute joints", "docs/mechanisms.md"),
)
"""Examples of table 1, each with its ready-made model or documentation page."""

PRINTED_ROTOR = Case("rotor", (("data", "printed"),))
ROTOR = Case("rotor")

TOP: Mapping[str, tuple[float, ...]] = {
    "mass": (15.0,),
    "inertia": (0.234375, 0.46875, 0.234375),
    "lever": (0.0, 1.0, 0.0),
    "gravity": (0.0, 0.0, -9.81),
}
"""Table 3, by parameter of the model."""
TOP_SPIN = (0.0, 150.0, -4.61538)

ROTOR_MASS, ROTOR_INERTIA = 1.223, (0.001541, 0.000812, 0.000812)
ROTOR_PARAMETERS: Mapping[str, tuple[float, ...]] = {"stiffness": (4000.0,), "damping": (5.165093,)}
ROTOR_SPEED = 20944.0

BODIES = {
    "crank": (0.12, (0.0001, 0.00001, 0.0001), (0.0, 0.1, 0.12), (6.0, 0.0, 0.0)),
    "rod": (0.5, (0.0004, 0.004, 0.004), (0.1, 0.05, 0.1), (1.92, -0.96, 0.48)),
    "slider": (2.0, (0.0001, 0.0001, 0.0001), (0.2, 0.0, 0.0), (0.0, 0.0, 0.0)),
}
"""Masses, moments of inertia, positions and angular velocities of table 8."""


def own(system: System, name: str) -> tuple[float, ...]:
    """Return a parameter of a model."""
    return tuple(map(float, system.parameters[system.layout.parameters[name][0]]))


def body(system: System, number: int) -> tuple[float, tuple[float, ...]]:
    """Return the mass and principal moments of inertia of a rigid body."""
    width = 1 + 9
    rows = next(block for block in system.element_parameters if block.shape[1] == width)
    return float(rows[number, 0]), tuple(map(float, rows[number, 1:].reshape(3, 3).diagonal()))


def start(system: System, node: str, field: str) -> tuple[float, ...]:
    """Return an initial value; angular velocities are in body axes."""
    state, place = system.stated_state(), system.layout.node(node)
    fields = {f.name: (state.q[place.storage], f) for f in place.type.storage_fields}
    fields |= {f.name: (state.v[place.velocity], f) for f in place.type.velocity_fields}
    values, f = fields[field]
    return tuple(map(float, values[f.offset : f.offset + math.prod(f.shape)]))


def shown(values: Sequence[float]) -> str:
    """Return numbers as text."""
    return ", ".join(f"{value:g}" for value in values)


def largest(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the largest difference."""
    return float(np.abs(np.subtract(a, b)).max())


def top_values(system: System) -> dict[str, tuple[float, ...]]:
    """Return the quantities of table 3 in the model."""
    return {**{name: own(system, name) for name in TOP}, "angular velocity": start(system, "top", "Omega")}


def rotor_values(system: System) -> dict[str, tuple[float, ...]]:
    """Return the quantities of table 6 in the model."""
    mass, inertia = body(system, 0)
    values = {"mass": (mass,), "inertia": inertia, "angular velocity": start(system, "rotor", "Omega")[:1]}
    return values | {name: own(system, name) for name in ROTOR_PARAMETERS}


PRINTED_TOP: Mapping[str, tuple[float, ...]] = {**TOP, "angular velocity": TOP_SPIN}
PRINTED_ROTOR_VALUES = {
    "mass": (ROTOR_MASS,), "inertia": ROTOR_INERTIA, "angular velocity": (ROTOR_SPEED,), **ROTOR_PARAMETERS,
}  # fmt: skip


def compared(
    values: Callable[[System], dict[str, tuple[float, ...]]], printed: Mapping[str, Sequence[float]]
) -> Callable[..., list[list[str]]]:
    """Return a function that tabulates model values with printed values."""

    def rows(*systems: System) -> list[list[str]]:
        found = [values(system) for system in systems]
        return [[name, *(shown(f[name]) for f in found), shown(known)] for name, known in printed.items()]

    return rows


def crank_rows(system: System) -> list[list[str]]:
    """Return the contents of table 8."""
    rows = []
    for k, (name, (mass, inertia, position, spin)) in enumerate(BODIES.items()):
        own_mass, own_inertia = body(system, k)
        turned = spatial_spin(system, name)
        rows += [
            [f"{name}: mass in kg", f"{own_mass:g}", f"{mass:g}"],
            [f"{name}: inertia in kg m²", shown(own_inertia), shown(inertia)],
            [f"{name}: position in m", shown(start(system, name, "x")), shown(position)],
            [f"{name}: angular velocity in rad/s", shown([round(c, 9) for c in turned]), shown(spin)],
        ]
    return rows


def spatial_spin(system: System, name: str) -> tuple[float, ...]:
    """Return the initial angular velocity of a body in inertial axes."""
    turn = np.array(start(system, name, "R")).reshape(3, 3)
    return tuple(map(float, turn @ start(system, name, "Omega") + 0.0))


def data(quick: bool) -> list[Item]:
    """Return tables 1, 2, 3, 6 and 8; table 2 lists symbols only."""
    top, rotor, printed, crank = (Stated(c) for c in (HELD_TOP, ROTOR, PRINTED_ROTOR, SLIDER_CRANK))
    exact = 1e-12
    return [
        Item(
            "table", "1", "reproduced", "examples in the literature",
            "symlie contains all fifteen examples: six as ready-made models, the others on pages of the "
            "documentation whose code is tested.",
            table=Table(["number", "example", "model or page in symlie"], lambda: [
                [str(k), name, where] for k, (name, where) in enumerate(EXAMPLES, 1)
            ]),
            numbers=[Number("examples with a ready-made model",
                            lambda: sum(where.split()[0] in model_names() for _, where in EXAMPLES), [], 6, 6)],
        ),
        Item("table", "2", "schematic", "symbols of both classical formulations",
             "The table assigns the symbols of each formulation to the placeholders of the general equations."),
        Item(
            "table", "3", "reproduced", "parameters of the heavy top", "All values are in SI units.",
            table=Table(["parameter", "model", "printed"], compared(top_values, PRINTED_TOP), [top]),
            numbers=[
                Number("largest difference from the printed values",
                       lambda s: max(largest(v, PRINTED_TOP[n]) for n, v in top_values(s).items()), [top], 0, exact),
            ],
        ),
        Item(
            "table", "6", "corrected", "parameters of the rotor",
            "All values are in SI units. The printed moments of inertia and the printed damping match a steel disk "
            "with the printed radius and length. The printed mass does not. The model uses the mass of this disk. "
            "The option data=printed selects the printed values.",
            table=Table(["parameter", "model", "model with data=printed", "printed"],
                        compared(rotor_values, PRINTED_ROTOR_VALUES), [rotor, printed]),
            numbers=[
                Number("mass of the disk / printed mass", lambda s: body(s, 0)[0] / ROTOR_MASS, [rotor],
                       1.005, 1.015),
                Number("largest difference from the printed moments of inertia",
                       lambda s: largest(body(s, 0)[1], ROTOR_INERTIA), [rotor], None, 5.5e-7, "kg m²",
                       source="half a unit of the last printed digit"),
                Number("relative difference from the printed damping",
                       lambda s: abs(own(s, "damping")[0] / ROTOR_PARAMETERS["damping"][0] - 1), [rotor], None, 1e-5),
            ],
        ),
        Item(
            "table", "8", "corrected", "parameters and initial conditions of the slider–crank",
            "Initially the crank is vertical. Its moment of inertia about the long axis is therefore the third one. "
            "The centre of mass is at mid-length, 0.04 m above the pivot. The paper prints the pivot as the "
            "position of the crank. Angular velocities refer to inertial axes.",
            table=Table(["parameter", "model", "printed"], crank_rows, [crank]),
            numbers=[
                Number("largest difference from the printed masses",
                       lambda s: max(abs(body(s, k)[0] - b[0]) for k, b in enumerate(BODIES.values())), [crank], 0,
                       exact, "kg"),
                Number("largest difference from the printed angular velocities",
                       lambda s: max(largest(spatial_spin(s, n), b[3]) for n, b in BODIES.items()), [crank], 0, 1e-9,
                       "rad/s"),
                Number("height of the centre of mass of the crank above the printed position",
                       lambda s: start(s, "crank", "x")[2] - BODIES["crank"][2][2], [crank], 0.0395, 0.0405, "m"),
            ],
        ),
    ]  # fmt: skip
