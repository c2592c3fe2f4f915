"""What is worth drawing of a solution over time: configuration, rotation, velocity, multipliers, energy, residuals.

Arrays of nodes are drawn as snapshots instead: `symlie.runtime.centre_line`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import UnknownNameError
from symlie.runtime.layout import Array, Layout
from symlie.runtime.quantities import field_unit
from symlie.runtime.slices import NodeSlice
from symlie.runtime.solution import Solution

SNAPSHOTS = "snapshots"
"""Name of the panels that show rods in space."""

MOST_NODES = 2
"""Nodes that are drawn: the first ones and the last one."""

MOST_OUTPUTS = 4
"""Named outputs that are drawn, each in a panel of its own."""

MOST_COMPONENTS = 6
"""Components above which a vector is drawn by its Euclidean norm."""

AT_REST = 1e-3
"""Energy at the start over the largest one below which no relative change is drawn: loads set the system in motion."""

FAR_OFF = 10.0
"""A component whose mean exceeds the largest variation by this factor is drawn less its mean."""

HALF_TURN = 1.000001 * np.pi
"""Length up to which vectors in rad are principal rotation vectors, which jump at half turns. Numbers are left alone:
samples do not tell how many turns lie between them."""

_GREEK = {"Omega": r"\Omega", "omega": r"\omega", "theta": r"\theta", "phi": r"\varphi"}

_ROTATIONS = ("R", "p", "psi")
"""Fields that store a rotation."""

_MEANING = {
    "x": "position",
    "x_dot": "velocity",
    "Omega": "angular velocity, body axes",
    "U": "translational velocity, body axes",
}


@dataclass(frozen=True)
class Series:
    """A line: its label and its values over the times of the solution."""

    label: str
    values: Array


@dataclass(frozen=True)
class Panel:
    """Axes with a title, a label of the ordinate, and lines."""

    title: str
    label: str
    series: tuple[Series, ...]
    logarithmic: bool = False


def panels(solution: Solution) -> list[Panel]:
    """The panels of a solution, chosen by what it contains."""
    layout = solution.system.layout
    nodes = [n for n in layout.nodes if not n.is_array]
    nodes = nodes[: MOST_NODES - 1] + nodes[-1:] if len(nodes) > MOST_NODES else nodes
    drawn = list(_output_panels(solution))
    if not any(len(p.series) in (2, 3) for p in drawn):
        drawn = [p for n in nodes for p in _field_panels(solution, n, "storage_fields")] + drawn
    drawn += [p for n in nodes for p in _rotation_panels(solution, n)]
    drawn += [p for n in nodes for p in _field_panels(solution, n, "velocity_fields")]
    drawn += [_multiplier_panel(constraint, values) for constraint, values in solution.named_multipliers().items()]
    drawn.append(_energy_panel(solution.outputs["energy"]))
    if layout.of_velocities.any():
        drawn.append(_residual_panel(solution))
    return drawn


def named_panels(solution: Solution, names: Sequence[str]) -> list[Panel]:
    """The panels of these names, in this order.

    Parameters
    ----------
    solution
        The solution.
    names
        ``"energy"``, ``"residuals"``, names of outputs and constraints (their multipliers), ``"NODE.FIELD"``.

    Raises
    ------
    UnknownNameError
        Nothing of this name can be drawn over time.
    """
    layout, multipliers = solution.system.layout, solution.named_multipliers()
    drawn: list[Panel] = []
    for name in names:
        node, _, field = name.partition(".")
        if name == "energy":
            drawn.append(_energy_panel(solution.outputs["energy"]))
        elif name == "residuals" and layout.of_velocities.any():
            drawn.append(_residual_panel(solution))
        elif name in layout.outputs:
            drawn.append(_output_panel(solution, name))
        elif name in multipliers:
            drawn.append(_multiplier_panel(name, multipliers[name]))
        elif field and (found := _panel_of_field(solution, node, field)):
            drawn.append(found)
        else:
            raise _not_drawable(name, layout)
    return drawn


def check_panels(layout: Layout, names: Sequence[str]) -> None:
    """Check names of panels before there is a solution.

    Parameters
    ----------
    layout
        Layout of the system.
    names
        Names as `named_panels` takes them, and `SNAPSHOTS`.

    Raises
    ------
    UnknownNameError
        Nothing of this name can be drawn over time.
    """
    for name in names:
        if name not in (SNAPSHOTS, *_drawable(layout)):
            raise _not_drawable(name, layout)


def _not_drawable(name: str, layout: Layout) -> UnknownNameError:
    return UnknownNameError(f"'{name}' can not be drawn over time; draw {', '.join(_drawable(layout))}.")


def _drawable(layout: Layout) -> list[str]:
    fields = [
        f"{node.name}.{field['name']}"
        for node in layout.nodes
        for field in node.type["storage_fields"] + node.type["velocity_fields"]
        if not node.is_array
    ]
    residuals = ["residuals"] if layout.of_velocities.any() else []
    return ["energy", *residuals, *layout.outputs, *layout.constraints, *fields]


def _panel_of_field(solution: Solution, node: str, field: str) -> Panel | None:
    part = next((n for n in solution.system.layout.nodes if n.name == node and not n.is_array), None)
    if part is None:
        return None
    if field.rstrip("0123456789") in _ROTATIONS:
        return next(_rotation_panels(solution, part, field), None)
    for fields in ("storage_fields", "velocity_fields"):
        for panel in _field_panels(solution, part, fields, field):
            return panel
    return None


def _output_panels(solution: Solution) -> Iterator[Panel]:
    """Outputs with a unit; the others, such as rotation matrices, have no meaning as lines over one axis."""
    physical = [(name, unit) for name, (_, unit) in solution.system.layout.outputs.items() if unit]
    for name, _ in physical[:MOST_OUTPUTS]:
        yield _output_panel(solution, name)


def _output_panel(solution: Solution, name: str) -> Panel:
    unit = solution.system.layout.outputs[name][1]
    values = solution.outputs[name].reshape(len(solution.t), -1)
    if unit == "rad" and values.shape[1] > 1 and np.linalg.norm(values, axis=1).max(initial=0.0) <= HALF_TURN:
        values = continuous_rotation(values)
    return Panel(_words(name), _in_unit(unit), _components("e", values, "norm"))


def _field_panels(solution: Solution, node: NodeSlice, fields: str, only: str = "") -> Iterator[Panel]:
    for field in node.type[fields]:
        name = field["name"]
        if name.rstrip("0123456789") in _ROTATIONS or name != (only or name):
            continue
        if len(field["shape"]) == 2 and not only:
            continue
        values = solution.field(node.name, name).reshape(len(solution.t), -1)
        letter, unit = _letter(name), field_unit(node.type, name)
        meaning = _MEANING.get(name.rstrip("0123456789"), "") if unit else ""
        if fields == "velocity_fields":
            series, default = _shifted(_components(letter, values)), "rates"
        else:
            series, default = _components(letter, values), "coordinates"
        yield Panel(_title(solution, node, meaning or default), _in_unit(unit, f"${letter}$"), series)


def _rotation_panels(solution: Solution, node: NodeSlice, only: str = "") -> Iterator[Panel]:
    for field in node.type["storage_fields"]:
        if only and field["name"] != only:
            continue
        stem = field["name"].rstrip("0123456789")
        values = solution.field(node.name, field["name"])
        if stem == "R" and field["shape"] == [3, 3]:
            quaternions = continuous(quaternions_of(values))
        elif stem == "p" and field["shape"] == [4]:
            quaternions = continuous(values)
        elif any(entry["field"] == field["name"] for entry in node.type["angles"]):
            angle = solution.angle(node.name, field["name"])
            yield Panel(_title(solution, node, "rotation angle"), _in_unit("rad", r"$\varphi$"), (Series("", angle),))
            continue
        elif stem == "psi" and field["shape"] == [3]:
            series = _components(r"\psi", continuous_rotation(values))
            yield Panel(_title(solution, node, "rotation vector"), _in_unit("rad", r"$\psi$"), series)
            continue
        else:
            continue
        series = tuple(Series(f"$p_{k}$", quaternions[:, k]) for k in range(4))
        yield Panel(_title(solution, node, "rotation, unit quaternion"), "$p$", series)


def _multiplier_panel(constraint: str, values: Array) -> Panel:
    """Multipliers; of many instances, the largest of each row."""
    title = f"multipliers of {_words(constraint)}"
    if values.ndim == 2 or values.shape[1] == 1:
        return Panel(title, r"$\lambda$", _components(r"\lambda", values.reshape(len(values), -1)))
    largest = _components(r"\lambda", np.abs(values).max(axis=1))
    return Panel(f"{title}, largest of {values.shape[1]}", r"$|\lambda|$", largest)


def _energy_panel(energy: Array) -> Panel:
    change = energy - energy[0] if len(energy) else energy
    scale = abs(energy[0]) if len(energy) else 0.0
    if scale > AT_REST * np.max(np.abs(energy), initial=0.0):
        return Panel("energy, relative change", r"$(E - E_0)\,/\,|E_0|$", (Series("", change / scale),))
    return Panel("energy, change", _in_unit("J", "$E - E_0$"), (Series("", change),))


def _residual_panel(solution: Solution) -> Panel:
    outputs = solution.outputs
    series = (
        Series(r"$\max\,|\Phi|$", outputs["constraint_residual"]),
        Series(r"$\max\,|Bv + b|$", outputs["velocity_residual"]),
    )
    return Panel("residuals of the constraints", "residual", series, logarithmic=True)


def _components(letter: str, values: Array, norm: str = "") -> tuple[Series, ...]:
    """One line per component; of a long vector, the norm."""
    if values.shape[1] > MOST_COMPONENTS:
        return (Series(norm or rf"$\|{letter}\|$", np.linalg.norm(values, axis=1)),)
    several = values.shape[1] > 1
    return tuple(Series(f"${letter}_{{{k + 1}}}$" if several else "", c) for k, c in enumerate(values.T))


def _shifted(lines: tuple[Series, ...]) -> tuple[Series, ...]:
    """A component far from all others is drawn less its mean, which its label says: a spin would hide the rest."""
    variation = max((np.ptp(line.values) for line in lines), default=0.0)
    shifted = []
    for line in lines:
        mean = float(f"{line.values.mean():.3g}")
        if 0 < FAR_OFF * variation < abs(mean):
            label = f"{line.label} − {mean:g}" if mean > 0 else f"{line.label} + {-mean:g}"
            shifted.append(Series(label.strip(), line.values - mean))
        else:
            shifted.append(line)
    return tuple(shifted)


def quaternions_of(rotations: Array) -> Array:
    """Unit quaternions of rotation matrices.

    Parameters
    ----------
    rotations
        Shape (n, 3, 3).

    Returns
    -------
    Array
        Shape (n, 4), scalar part first. Source: Bar-Itzhack 2000, dominant eigenvector of a symmetric 4 × 4 matrix.
    """
    n = len(rotations)
    r = rotations
    matrix = np.empty((n, 4, 4))
    spin = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    trace = np.trace(r, axis1=1, axis2=2)
    matrix[:, 0, 0] = trace
    matrix[:, 0, 1:] = matrix[:, 1:, 0] = spin
    matrix[:, 1:, 1:] = r + r.transpose(0, 2, 1) - trace[:, None, None] * np.eye(3)
    quaternions: Array = np.linalg.eigh(matrix)[1][:, :, -1]
    return quaternions


def continuous(quaternions: Array) -> Array:
    """The same rotations with signs that do not jump, beginning with a scalar part that is not negative."""
    products = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
    first = -1.0 if len(quaternions) and quaternions[0, 0] < 0 else 1.0
    signs = np.concatenate([[first], np.where(products < 0, -1.0, 1.0)])[: len(quaternions)]
    turned: Array = quaternions * np.cumprod(signs)[:, None]
    return turned


def continuous_rotation(vectors: Array) -> Array:
    """The same rotations as vectors that do not jump at half turns.

    Parameters
    ----------
    vectors
        Angles, shape (n, 1), or rotation vectors, shape (n, 3).
    """
    turned = vectors.copy()
    lengths = np.linalg.norm(vectors, axis=1)
    for k in range(1, len(vectors)):
        if lengths[k] > 0:
            axis = vectors[k] / lengths[k]
            turned[k] += 2 * np.pi * np.round((turned[k - 1] - vectors[k]) @ axis / (2 * np.pi)) * axis
    return turned


def _title(solution: Solution, node: NodeSlice, text: str) -> str:
    return f"{_words(node.name)}: {text}" if len(solution.system.layout.nodes) > 1 else text


def _letter(name: str) -> str:
    match = re.fullmatch(r"(.+?)(_dot)?(\d*)", name)
    assert match is not None
    stem, dot, number = match.groups()
    letter = _GREEK.get(stem, stem if len(stem) == 1 else rf"\mathrm{{{stem.replace('_', ' ')}}}")
    letter = rf"\dot{{{letter}}}" if dot else letter
    return rf"{letter}^{{({number})}}" if number else letter


def _words(name: str) -> str:
    return name.replace("_", " ")


def _in_unit(unit: str, letter: str = "") -> str:
    shown = "" if unit in ("", "1") else "in " + re.sub(r"\^(-?\d+)", r"$^{\1}$", unit)
    return " ".join(part for part in (letter, shown) if part)
