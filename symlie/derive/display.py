"""Derived equations for people: a Markdown page of every term, and a LaTeX block for notebooks.

    M(q) v' = -g(t, q, v) - B(q)ᵀ λ,   Φ(t, q) = 0,   B v + b = 0,   B v' + Z = 0

The statement list is shown as it was derived, with short statements written into their users (`statement_list`) and
components read back as vectors where they are vectors (`vector_forms`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sympy import Expr, Integer

from symlie.derive.equations import Equations
from symlie.derive.notation import field_letter, letter, word
from symlie.derive.operator_formulas import coefficient_rows, kinematic_rows, operator_rows
from symlie.derive.statement_view import Row, StatementView, VelocityPart
from symlie.groups.group import Field, LieGroup
from symlie.modeling.node import Node

WIDEST = 12
"""Largest number of columns of a matrix that is shown whole; larger ones are shown by blocks that are not zero."""

ROWS_PER_BLOCK = 40
"""Rows of one aligned block; longer lists are split, because browsers typeset each block as a whole."""

_MEANINGS = {
    "R": "rotation matrix, body axes to inertial axes",
    "p": "unit quaternion of the rotation, scalar part first",
    "Omega": "angular velocity in body axes",
    "U": "translational velocity in body axes",
}

Section = dict[str, Any]


def markdown(equations: Equations) -> str:
    """Everything derived for a model as a page of GitHub-flavoured Markdown.

    Parameters
    ----------
    equations
        The derived equations.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from symlie.paths import template_folder

    model = equations.model
    views = [StatementView(d, model.parameters) for d in equations.derived]
    groups = list(dict.fromkeys(f for n in model.nodes for f, _, _ in n.group.simple_factors))
    turning = [g for g in groups if operator_rows(g)]
    environment = Environment(
        loader=FileSystemLoader(template_folder()), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.get_template("equations.md.jinja").render(
        name=model.name,
        options=equations.options,
        constrained=any(d.constraints.position for d in equations.derived),
        nodes=[_node(views[0], n) for n in model.nodes],
        parameters=[
            {"name": p.name, "symbol": str(letter(p.name)), "default": _numbers(p.default), "unit": p.unit}
            for p in model.parameters
        ],
        statements=[
            {"name": v.derived.statement.name, "sections": list(_sections(v)), "nodes": v.derived.statement.nodes}
            for v in views
        ],
        operators=[{"group": g.name, "math": _blocks(operator_rows(g))} for g in turning],
        coefficients=_blocks(coefficient_rows()) if turning else [],
    )
    return _protected(page)


def latex(equations: Equations) -> str:
    """M, g, Φ, B and Z with the definitions they use, as one display equation that MathJax and LaTeX typeset."""
    rows: list[Row] = []
    for derived in equations.derived:
        view = StatementView(derived, equations.model.parameters)
        rows += [*view.definitions, *_mass(view), *_force(view)]
        rows += [row for rows_of_kind in _constraints(view).values() for row in rows_of_kind]
    return _block(rows)


def _node(view: StatementView, node: Node) -> dict[str, Any]:
    superscript = view.superscript(node)

    def letters(fields: Sequence[Field]) -> list[str]:
        return [str(field_letter(f, superscript)) for f in fields]

    storage, velocity = node.group.storage_fields, node.group.velocity_fields
    fields = list(zip(letters(storage) + letters(velocity), [*storage, *velocity], strict=True))
    return {
        "name": node.name,
        "group": node.group.name,
        "q": r"\left(" + ", ".join(letters(storage)) + r"\right)",
        "v": r"\left[" + "; ".join(letters(velocity)) + r"\right]",
        "fields": [{"symbol": s, "components": f.size, "meaning": _meaning(node.group, f)} for s, f in fields],
        "math": _blocks(kinematic_rows(node, superscript)),
    }


def _meaning(group: LieGroup, field: Field) -> str:
    stem = field.name.rstrip("0123456789")
    if stem in ("x", "x_dot"):
        what = "position in inertial axes" if group.rotation else "coordinates"
        return what if stem == "x" else f"rate of the {what}"
    return _MEANINGS.get(stem, "")


def _sections(view: StatementView) -> Iterator[Section]:
    statement, dynamics = view.derived.statement, view.derived.dynamics
    if view.definitions:
        yield _section("Statements", "Vectors that the terms below share, in the order of derivation.", view.definitions)
    energies = [("T", statement.kinetic), ("V", statement.potential), ("D", statement.dissipated)]
    rows = [view.scalar_row(name, energy) for name, energy in energies if energy != 0]
    yield _section("Energy", "", rows)
    yield _section("Mass matrix", "Constant." if dynamics.mass_is_constant else "", _mass(view))
    yield _section("Forces", "Gyroscopic, potential and applied forces, on the left side of the equations.", _force(view))
    titles = {
        "Constraints": "",
        "Constraint Jacobian": "",
        "Hidden constraints": r"The time derivative of the constraints, $\dot\Phi = B \thinspace v + b$.",
        "Curvature": r"The second time derivative is $\ddot\Phi = B \thinspace \dot v + Z$.",
    }
    for title, rows in _constraints(view).items():
        yield _section(title, titles[title], rows)
    outputs = [view.vector_row(rf"\mathrm{{{o.name}}}".replace("_", r"\ "), o.components) for o in statement.outputs]
    for row in outputs:
        yield _section("", "", [row]) if False else _section("Outputs", "", outputs)
        break


def _section(title: str, text: str, rows: Sequence[Row]) -> Section:
    return {"title": title, "text": text, "math": _blocks(rows)}


def _mass(view: StatementView) -> list[Row]:
    parts = view.velocity_parts
    rows = [view.written(row) for row in view.derived.dynamics.mass]
    return _matrix(view, "M", rows, [("", parts)])


def _force(view: StatementView) -> list[Row]:
    force = view.derived.dynamics.force
    return [view.vector_row(f"g_{{{p.letter}}}", force[p.start : p.stop]) for p in view.velocity_parts]


def _constraints(view: StatementView) -> dict[str, list[Row]]:
    terms, statement = view.derived.constraints, view.derived.statement
    several = len(statement.constraints) > 1
    rows: dict[str, list[Row]] = {}
    ends = [0, *itertools.accumulate(len(c.rows) for c in statement.constraints)]
    for constraint, (a, b) in zip(statement.constraints, itertools.pairwise(ends), strict=True):
        index = f"_{{{word(constraint.name)}}}" if several else ""

        def add(title: str, *new: Row) -> None:
            rows.setdefault(title, []).extend(new)

        add("Constraints", view.vector_row(rf"\Phi{index}", terms.position[a:b]))
        jacobian = [view.written(row) for row in terms.jacobian[a:b]]
        add("Constraint Jacobian", *_matrix(view, f"B{index}", jacobian, None))
        if any(e != 0 for e in terms.rate[a:b]):
            add("Hidden constraints", view.vector_row(f"b{index}", terms.rate[a:b]))
        add("Hidden constraints", view.vector_row(rf"B{index} \thinspace v" + (f" + b{index}" if any(e != 0 for e in terms.rate[a:b]) else ""), terms.hidden[a:b]))
        add("Curvature", view.vector_row(f"Z{index}", terms.curvature[a:b]))
    return rows
