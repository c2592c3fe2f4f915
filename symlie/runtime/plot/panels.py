"""Default panels of a solution over time: configuration, rotation, velocity, multipliers, energy, residuals.

Arrays of nodes appear as snapshots instead: `symlie.runtime.plot.centre_line`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from symlie.contract.manifest import FieldLayout
from symlie.errors import UnknownNameError
from symlie.runtime.layout.joint_outputs import COORDINATES, joint_outputs, owners_of
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.quantities import field_unit
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.plot.drawn_rotations import continuous, continuous_rotation, quaternions_of
from symlie.runtime.plot.panel import Panel, Series, largest, presented
from symlie.runtime.solution.local_fields import local_fields
from symlie.runtime.solution.solution import Solution

SNAPSHOTS = "snapshots"
"""Name of the panels with spatial views of rods."""

MOST_NODES = 4
"""Largest number of plotted nodes: the first ones and the last one."""

MOST_OUTPUTS = 4
"""Largest number of plotted named outputs, each in its panel."""

MOST_COORDINATES = 8
"""Largest number of plotted joint coordinates, each in its panel."""

MOST_CONSTRAINTS = 4
"""Largest number of constraints with plotted multipliers."""

MOST_COMPONENTS = 6
"""Number of components above which the Euclidean norm of a vector is plotted."""

LARGEST_RELATIVE = 1.0
"""Relative change of a conserved energy above which it is plotted in J, because the initial value is close to zero."""

HALF_TURN = 1.000001 * np.pi
"""Length up to which vectors in rad are principal rotation vectors, which jump at half turns. Scalars remain unchanged:
samples do not determine the turns between them.
"""

_MULTIPLIERS = "λ"
"""Kind of all multipliers, regardless of unit."""

_OF_SIZE_ONE = ("rad", "1")
"""Kinds of angles, quaternions and relative changes."""

_GREEK = {"Omega": r"\Omega", "omega": r"\omega", "theta": r"\theta", "phi": r"\varphi"}

_ROTATIONS = ("R", "p", "psi")
"""Fields that store a rotation."""

_LETTERS = {"strain": "w", "section_force": "G", "multipliers": r"\lambda"}
"""Symbols of fields over segments."""

_MEANING = {
    ("x", "m"): "position",
    ("x_dot", "m/s"): "velocity",
    ("Omega", "rad/s"): "angular velocity, body axes",
    ("U", "m/s"): "translational velocity, body axes",
}


def panels(solution: Solution) -> list[Panel]:
    """Panels of a solution, chosen by its content; `left_out` lists the omitted quantities."""
    layout, nodes = solution.system.layout, _drawn_nodes(solution.system.layout)
    outputs = [_output_panel(solution, name) for name in _drawn_outputs(layout)]
    if _joint_coordinates(layout):
        return _presented(solution, [*outputs, _energy_panel(solution), _residual_panel(solution)])
    stored = [p for n in nodes for p in _field_panels(solution, n, n.type.storage_fields)]
    # An output that repeats a coordinate, such as the position of the only body, replaces that coordinate.
    drawn = [p for p in stored if not any(_is_same(p, output) for output in outputs)] + outputs
    drawn += [p for n in nodes for p in _rotation_panels(solution, n)]
    drawn += [p for n in nodes for p in _field_panels(solution, n, n.type.velocity_fields)]
    named = solution.named_multipliers()
    drawn += [_multiplier_panel(constraint, named[constraint]) for constraint in _drawn_constraints(layout)]
    drawn.append(_energy_panel(solution))
    if layout.of_velocities.any():
        drawn.append(_residual_panel(solution))
    return _presented(solution, drawn)


def left_out(layout: Layout, in_snapshots: Collection[str]) -> list[str]:
    """Names of nodes, outputs and constraints omitted by `panels`, except arrays shown in snapshots."""
    if _joint_coordinates(layout):
        return [name for name in _joint_coordinates(layout) if name not in _drawn_outputs(layout)]
    drawn = {*in_snapshots, *(n.name for n in _drawn_nodes(layout))}
    outputs = [name for name in (*layout.outputs, *layout.node_outputs) if name not in _drawn_outputs(layout)]
    constraints = [name for name in layout.constraints if name not in _drawn_constraints(layout)]
    return [*(n.name for n in layout.nodes if n.name not in drawn), *outputs, *constraints]


def _drawn_nodes(layout: Layout) -> list[NodeSlice]:
    nodes = [n for n in layout.nodes if not n.is_array]
    return nodes[: MOST_NODES - 1] + nodes[-1:] if len(nodes) > MOST_NODES else nodes


def _drawn_outputs(layout: Layout) -> list[str]:
    """Outputs with a unit; others, such as rotation matrices, are not meaningful as lines in one panel.

    For mechanisms these are the outputs of the model itself, and joint coordinates.
    """
    if coordinates := _joint_coordinates(layout):
        own = [name for name, (unit, parts) in layout.output_parts.items() if unit and not owners_of(layout, parts)]
        return [*own[:MOST_OUTPUTS], *coordinates[:MOST_COORDINATES]]
    return [name for name, (_, unit) in layout.outputs.items() if unit][:MOST_OUTPUTS]


def _joint_coordinates(layout: Layout) -> list[str]:
    """Outputs that are joint coordinates."""
    return joint_outputs(layout, COORDINATES)


def _drawn_constraints(layout: Layout) -> list[str]:
    return [*layout.constraints][:MOST_CONSTRAINTS]


def _is_same(panel: Panel, other: Panel) -> bool:
    return len(panel.series) == len(other.series) and all(
        np.array_equal(a.values, b.values) for a, b in zip(panel.series, other.series, strict=True)
    )


def _presented(solution: Solution, drawn: Sequence[Panel]) -> list[Panel]:
    scales = {kind: natural_scale(solution, kind) for kind in {p.kind for p in drawn}}
    as_it_is = [panel.logarithmic or panel.arc is not None for panel in drawn]
    return [p if leave else presented(p, scales[p.kind]) for p, leave in zip(drawn, as_it_is, strict=True)]


def natural_scale(solution: Solution, kind: str) -> float:
    """Natural scale of the quantities of a kind, such as a unit."""
    if kind in _OF_SIZE_ONE:
        return 1.0
    layout = solution.system.layout
    compared = [solution.outputs[name] for name, (_, unit) in layout.outputs.items() if unit == kind]
    compared += [
        solution.field(node.name, field.name)
        for node in layout.nodes
        for field in node.type.fields
        if _kind_of_field(node, field.name) == kind
    ]
    if kind == _MULTIPLIERS:
        compared.append(solution.multipliers)
    if kind == "J":
        compared.append(solution.outputs["energy"])
    return largest(tuple(Series("", values) for values in compared))


def _kind_of_field(node: NodeSlice, name: str) -> str:
    return field_unit(node, name) or name.rstrip("0123456789")


def named_panels(solution: Solution, names: Sequence[str]) -> list[Panel]:
    """Panels by name, in this order; `UnknownNameError` for other names.

    Names are ``"energy"``, ``"residuals"``, names of outputs and constraints (their multipliers), ``"NODE.FIELD"``, and
    ``"ROD.FIELD"`` over its segments.
    """
    layout, multipliers = solution.system.layout, solution.named_multipliers()
    drawn: list[Panel] = []
    for name in names:
        node, _, field = name.partition(".")
        if name == "energy":
            drawn.append(_energy_panel(solution))
        elif name == "residuals" and layout.of_velocities.any():
            drawn.append(_residual_panel(solution))
        elif name in layout.outputs:
            drawn.append(_output_panel(solution, name))
        elif name in multipliers:
            drawn.append(_multiplier_panel(name, multipliers[name]))
        elif field in local_fields(layout, node):
            drawn.append(_panel_over_segments(solution, node, field))
        elif field and (found := _panel_of_field(solution, node, field)):
            drawn.append(found)
        else:
            raise _not_drawable(name, layout)
    return _presented(solution, drawn)


def check_panels(layout: Layout, names: Sequence[str]) -> None:
    """Check names of panels, which are those of `named_panels` or `SNAPSHOTS`, before a solution exists."""
    for name in names:
        if name not in _drawable(layout):
            raise _not_drawable(name, layout)


def _not_drawable(name: str, layout: Layout) -> UnknownNameError:
    return UnknownNameError(f"'{name}' cannot be drawn versus time; draw {', '.join(_drawable(layout))}.")


def _drawable(layout: Layout) -> list[str]:
    fields = [f"{node.name}.{field.name}" for node in layout.nodes for field in node.type.fields if not node.is_array]
    fields += [f"{curve}.{name}" for curve in layout.curves for name in local_fields(layout, curve)]
    residuals = ["residuals"] if layout.of_velocities.any() else []
    return ["energy", *residuals, *layout.outputs, *layout.constraints, *fields, SNAPSHOTS]


def _panel_of_field(solution: Solution, node: str, field: str) -> Panel | None:
    part = next((n for n in solution.system.layout.nodes if n.name == node and not n.is_array), None)
    if part is None:
        return None
    if field.rstrip("0123456789") in _ROTATIONS:
        return next(_rotation_panels(solution, part, field), None)
    return next(_field_panels(solution, part, part.type.fields, field), None)


def _output_panel(solution: Solution, name: str) -> Panel:
    unit = solution.system.layout.outputs[name][1]
    values = solution.outputs[name].reshape(len(solution.t), -1)
    if unit == "rad" and values.shape[1] > 1 and np.linalg.norm(values, axis=1).max(initial=0.0) <= HALF_TURN:
        values = continuous_rotation(values)
    title = _words(name) + (" (not unique)" if name in solution.undetermined.outputs else "")
    return Panel(title, _in_unit(unit), _components("e", values, "norm"), kind=unit)


def _field_panels(
    solution: Solution, node: NodeSlice, fields: Sequence[FieldLayout], only: str = ""
) -> Iterator[Panel]:
    for field in fields:
        name = field.name
        if name.rstrip("0123456789") in _ROTATIONS or name != (only or name):
            continue
        if len(field.shape) == 2 and not only:
            continue
        values = solution.field(node.name, name).reshape(len(solution.t), -1)
        letter, unit = _letter(name), field_unit(node, name)
        meaning = _MEANING.get((name.rstrip("0123456789"), unit), "")
        title = _title(solution, node, meaning or ("rates" if field in node.type.velocity_fields else "coordinates"))
        kind = _kind_of_field(node, name)
        yield Panel(title, _in_unit(unit, f"${letter}$"), _components(letter, values), kind=kind)


def _rotation_panels(solution: Solution, node: NodeSlice, only: str = "") -> Iterator[Panel]:
    for field in node.type.storage_fields:
        if only and field.name != only:
            continue
        stem = field.name.rstrip("0123456789")
        values = solution.field(node.name, field.name)
        if (stem, field.shape) in (("R", (3, 3)), ("p", (4,))):
            quaternions = continuous(quaternions_of(values) if stem == "R" else values)
            series = tuple(Series(f"$p_{k}$", quaternions[:, k]) for k in range(4))
            title, label, kind = "rotation, unit quaternion", "$p$", "1"
        elif any(entry.field == field.name for entry in node.type.angles):
            series = (Series("", solution.angle(node.name, field.name)),)
            title, label, kind = "rotation angle", _in_unit("rad", r"$\varphi$"), "rad"
        elif stem == "psi" and field.shape == (3,):
            series = _components(r"\psi", continuous_rotation(values))
            title, label, kind = "rotation vector", _in_unit("rad", r"$\psi$"), "rad"
        else:
            continue
        yield Panel(_title(solution, node, title), label, series, kind=kind)


def _panel_over_segments(solution: Solution, curve: str, name: str) -> Panel:
    """A field over the segments of a curve at the last recorded time."""
    field = local_fields(solution.system.layout, curve)[name]
    values, letter = solution.field(curve, name)[-1], _LETTERS.get(name, "e")
    title = f"{_words(curve)}: {_words(name)} at $t = {solution.t[-1]:.3g}$ s"
    return Panel(title, _in_unit(field.unit, f"${letter}$"), _components(letter, values), arc=field.middle)


def _multiplier_panel(constraint: str, values: Array) -> Panel:
    """Multipliers; for many elements, the largest of each equation."""
    title = f"multipliers of {_words(constraint)}"
    if values.ndim == 2 or values.shape[1] == 1:
        return Panel(title, r"$\lambda$", _components(r"\lambda", values.reshape(len(values), -1)), kind=_MULTIPLIERS)
    greatest = _components(r"\lambda", np.abs(values).max(axis=1))
    return Panel(f"{title}, largest of {values.shape[1]}", r"$|\lambda|$", greatest, kind=_MULTIPLIERS)


def _energy_panel(solution: Solution) -> Panel:
    """The energy of a driven or dissipative system, or the error of a conserved energy."""
    energy = solution.outputs["energy"]
    if not solution.system.layout.conserves_energy:
        return Panel("energy", _in_unit("J", "$E$"), (Series("", energy),), kind="J")
    change = energy - energy[0] if len(energy) else energy
    scale = abs(energy[0]) if len(energy) else 0.0
    if scale > 0 and np.max(np.abs(change), initial=0.0) <= LARGEST_RELATIVE * scale:
        relative = (Series("", change / scale),)
        return Panel("energy, relative change", r"$(E - E_0)\,/\,|E_0|$", relative, kind="1")
    return Panel("energy, change", _in_unit("J", "$E - E_0$"), (Series("", change),), kind="J")


def _residual_panel(solution: Solution) -> Panel:
    outputs = solution.outputs
    series = (
        Series(r"$\max\,|\Phi|$", outputs["constraint_residual"]),
        Series(r"$\max\,|Bv + b|$", outputs["velocity_residual"]),
    )
    return Panel("residuals of the constraints", "residual", series, logarithmic=True)


def _components(letter: str, values: Array, norm: str = "") -> tuple[Series, ...]:
    """One line per component; the norm of a long vector."""
    if values.shape[1] > MOST_COMPONENTS:
        return (Series(norm or rf"$\|{letter}\|$", np.linalg.norm(values, axis=1)),)
    several = values.shape[1] > 1
    return tuple(Series(f"${letter}_{{{k + 1}}}$" if several else "", c) for k, c in enumerate(values.T))


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
