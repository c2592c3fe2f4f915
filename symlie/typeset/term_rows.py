"""Derived terms of a statement, as aligned LaTeX equations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from sympy import Expr

from symlie.groups.group import Field
from symlie.groups.homogeneous import HomogeneousSpace
from symlie.modeling.node import Node
from symlie.modeling.terms import Constraint
from symlie.typeset.notation import Letter, field_letter, word
from symlie.typeset.view import Row, StatementView, VelocityPart

CONSTRAINT_SECTIONS = (
    "Constraints", "Constraint Jacobian", "Hidden constraints", "Nonholonomic constraints", "Curvature",
)  # fmt: skip
"""Titles of the sections on constraints, in order."""

WIDEST = 12
"""Largest number of columns of a matrix that is shown whole; of larger ones only nonzero blocks are shown."""


def energy_rows(view: StatementView) -> list[Row]:
    """Typeset the kinetic and potential energy, and the dissipation function."""
    statement = view.derived.statement
    energies = [
        ("T", statement.kinetic), ("V", statement.potential), ("D", statement.dissipated), ("H", statement.energies)
    ]  # fmt: skip
    return [view.scalar_row(name, energy) for name, energy in energies if energy != 0]


def mass_rows(view: StatementView) -> list[Row]:
    """Typeset M(q)."""
    if not view.velocity_parts:
        return []
    return _matrix_rows(view, "M", view.derived.dynamics.mass, view.velocity_parts)


def force_rows(view: StatementView) -> list[Row]:
    """Typeset g(t, q, v), by part of the velocity."""
    force = view.derived.dynamics.force
    return [view.vector_row(f"g_{{{p.letter}}}", force[p.start : p.stop]) for p in view.velocity_parts]


def field_rows(view: StatementView) -> list[Row]:
    """Typeset f of the nodes without velocity, by part of the algebra."""
    rows = []
    for node, f in view.derived.statement.fields:
        assert isinstance(node.group, HomogeneousSpace)
        for part in node.group.group.velocity_fields:
            left = str(field_part(view, node, part))
            rows.append(view.vector_row(left, f[part.offset : part.offset + part.size]))
    return rows


def dependent_rows(view: StatementView) -> list[Row]:
    """Typeset the configurations of dependent nodes, and their velocities if these are stated."""
    rows = []
    for dependent in view.derived.statement.dependents:
        node = view.derived.statement.nodes[dependent.place]
        for parts, values in (
            (node.group.storage_fields, dependent.configuration), (node.group.velocity_fields, dependent.velocity),
        ):  # fmt: skip
            rows += [
                view.vector_row(str(field_letter(f, view.superscript(node))), values[f.offset : f.offset + f.size])
                for f in parts
                if values is not None
            ]
    return rows


def field_part(view: StatementView, node: Node, part: Field) -> Letter:
    """Return the letter of a part of the algebra-valued field of a node."""
    return Letter("f", view.superscript(node), str(field_letter(part)))


def constraint_rows(view: StatementView) -> dict[str, list[Row]]:
    """Typeset Φ, B, B v + b and Z by title and constraint; empty without constraints."""
    terms = view.derived.constraints
    rows: dict[str, list[Row]] = {title: [] for title in CONSTRAINT_SECTIONS}
    for constraint, label, part in labelled(view):
        index = f"_{{{label}}}" if label else ""
        rate = f" + b{index}" if constraint.is_affine and any(e != 0 for e in terms.rate[part]) else ""
        hidden = rf"B{index} \thinspace v{rate}" if constraint.is_affine else rf"\psi{index}"
        position = [view.vector_row(rf"\Phi{index}", terms.position[part])] if constraint.level == 0 else []
        new = {
            "Constraints": position,
            "Constraint Jacobian": _matrix_rows(view, "B", terms.jacobian[part], label=label),
            "Hidden constraints" if constraint.level == 0 else "Nonholonomic constraints": []
            if constraint.level == 2
            else [
                *([view.vector_row(f"b{index}", terms.rate[part])] if rate else []),
                view.vector_row(hidden, terms.hidden[part]),
            ],
            "Curvature": [view.vector_row(f"Z{index}", terms.curvature[part])],
        }
        for title, found in new.items():
            rows[title] += found
    return rows


def output_rows(view: StatementView) -> list[Row]:
    """Typeset the named outputs."""
    return [view.vector_row(word(o.name), o.components) for o in view.derived.statement.outputs]


def event_rows(view: StatementView) -> list[Row]:
    """Typeset the event functions."""
    return [view.scalar_row(word(e.name), e.expression) for e in view.derived.statement.events]


def newton_rows(view: StatementView) -> list[Row]:
    """Typeset the stiffness K, damping C and, by constraint on velocities, H = D_q(B v + b), if the view has them."""
    if view.newton is None:
        return []
    parts = view.velocity_parts
    rows = [
        *_matrix_rows(view, "K", view.newton.stiffness, parts),
        *_matrix_rows(view, "C", view.newton.damping, parts),
    ]
    for constraint, label, part in labelled(view):
        if constraint.level != 2:
            rows += _matrix_rows(view, "H", view.newton.hidden[part], label=label)
    return rows


def labelled(view: StatementView) -> Iterator[tuple[Constraint, str, slice]]:
    """Return constraints with a label for their terms (empty for a single constraint) and with their equations."""
    constraints = view.derived.statement.constraints
    ends = [0, *itertools.accumulate(len(c.rows) for c in constraints)]
    for constraint, (a, b) in zip(constraints, itertools.pairwise(ends), strict=True):
        yield constraint, word(constraint.name) if len(constraints) > 1 else "", slice(a, b)


def _matrix_rows(
    view: StatementView,
    name: str,
    matrix: Sequence[Sequence[Expr]],
    row_parts: Sequence[VelocityPart] = (),
    label: str = "",
) -> list[Row]:
    """Return a matrix by blocks and by components or, if it is wide, its nonzero blocks."""
    rows = [view.written(row) for row in matrix]
    bounds = [(str(p.letter), p.start, p.stop) for p in row_parts] or [(label, 0, len(rows))]
    columns = view.velocity_parts
    if not columns:
        return []
    if columns[-1].stop <= WIDEST:
        blocks = view.forms.blocks(rows, [b - a for _, a, b in bounds], [p.stop - p.start for p in columns])
        full = view.notation.matrix(rows)
        return [Row(f"{name}_{{{label}}}" if label else name, (full,) if blocks is None else (blocks, full))]
    shown = []
    for row_label, top, bottom in bounds:
        for part in columns:
            block = [row[part.start : part.stop] for row in rows[top:bottom]]
            if any(e != 0 for row in block for e in row):
                index = ", ".join(t for t in (row_label, str(part.letter)) if t)
                shown.append(Row(f"{name}_{{{index}}}", (view.forms.block(block) or view.notation.matrix(block),)))
    return shown
