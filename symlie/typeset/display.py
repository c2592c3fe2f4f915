"""Display of derived equations: a Markdown page with all terms, and a LaTeX block for notebooks.

    M(q) v' = -g(t, q, v) - B(q)ᵀ λ,   Φ(t, q) = 0,   B v + b = 0,   B v' + Z = 0

The statement list is shown as derived, with short statements substituted into their users (`statement_list`) and
components recognised as vectors (`vector_forms`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from symlie.contract.discrete import DiscreteLagrangian
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.equations import Equations
from symlie.groups.group import Field, LieGroup
from symlie.groups.homogeneous import ConfigurationSpace, acting_group
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Event, Parameter
from symlie.typeset.notation import field_letter, letter
from symlie.typeset.operator_formulas import COEFFICIENTS, kinematic_rows, operator_rows
from symlie.typeset.step_rows import step_sections
from symlie.typeset.step_view import Section, StepView
from symlie.typeset.term_rows import (
    constraint_rows,
    dependent_rows,
    energy_rows,
    event_rows,
    field_rows,
    force_rows,
    mass_rows,
    newton_rows,
    output_rows,
)
from symlie.typeset.view import Row, StatementView
from symlie.utilities.stages import stage
from symlie.utilities.templating import render

ROWS_PER_BLOCK = 40
"""Equations in one aligned block; longer lists are split, because a browser typesets each block as a whole."""

_MEANINGS = {
    "R": "rotation matrix, body axes to inertial axes",
    "p": "unit quaternion of the rotation, scalar part first",
    "psi": "rotation vector",
    "Omega": "angular velocity, body axes",
    "U": "translational velocity, body axes",
    "x": "position, inertial axes",
    "x_dot": "translational velocity, inertial axes",
}
"""Meanings of the fields of moving bodies."""

_PLANAR = {"p": "cosine and sine of the rotation angle", "Omega": "angular velocity"}
"""Their meanings in the plane."""

_COORDINATES = {"x": "coordinates", "x_dot": "rate of the coordinates"}
"""Meanings of the fields of Rⁿ without rotations."""


def markdown(equations: Equations, *, newton: bool = False, discrete: DiscreteLagrangian | None = None) -> str:
    """Return Markdown for GitHub, notebooks and editors; see `symlie.derive.equations.Equations.markdown`."""
    with stage("write", f"the equations of {equations.model.name}"):
        return _page(equations.with_symbols, equations.frozen, newton, discrete)


def _page(equations: Equations, frozen: Collection[str], newton: bool, discrete: DiscreteLagrangian | None) -> str:
    model = equations.model
    views, steps = _views(equations, newton=newton), _step_views(equations, discrete)
    nodes = [n for d in equations.derived for n in d.statement.nodes]
    factors = dict.fromkeys(factor for n in nodes for factor, _, _ in acting_group(n.group).simple_factors)
    operators = {group.name: rows for group in factors if (rows := operator_rows(group))}
    stated = [c for d in equations.derived for c in d.statement.constraints]
    page = render(
        "equations.md.jinja",
        name=model.name,
        options=equations.options,
        has_velocity=any(n.group.velocity_dimension for n in nodes),
        has_fields=any(not n.group.velocity_dimension for n in nodes),
        holonomic=any(c.level == 0 for c in stated),
        nonholonomic=any(c.level == 1 and c.is_affine for c in stated),
        nonlinear=any(c.level == 1 and not c.is_affine for c in stated),
        of_accelerations=any(c.level == 2 for c in stated),
        parts=_parts(equations),
        nodes=[_node(v, n) for v in views for n in v.derived.statement.nodes],
        parameters=[
            (p.name, str(letter(p.name)), ", ".join(f"{x:.12g}" for x in p.default), p.unit) for p in model.parameters
        ],
        frozen=frozen,
        inputs=[(i.name, str(letter(i.name)), i.size, i.unit) for i in model.run_time_tables],
        statements=[(v.derived.statement.name, _sections(v)) for v in views],
        step=_step(steps, discrete),
        operators={name: _blocks(rows) for name, rows in operators.items()},
        coefficients=_blocks(COEFFICIENTS),
    )
    return protected(page).rstrip() + "\n"


SHOWN_NODES = 6
"""Number of nodes of a part that are named."""


def _parts(equations: Equations) -> list[tuple[str, int, int, str]]:
    """Return the parts of a large model: element type, instances, velocities, and nodes of the first instance."""
    if equations.elements is equations.model:
        return []
    own = {id(i) for i in equations.model.instances}
    return [
        (
            i.element.name,
            len(i.nodes),
            sum(n.group.velocity_dimension for n in i.element.nodes),
            ", ".join(f"`{name}`" for name, _ in i.nodes[0][:SHOWN_NODES]) + ", …" * (len(i.nodes[0]) > SHOWN_NODES),
        )
        for i in equations.elements.instances
        if id(i) not in own
    ]


def _step(steps: Sequence[StepView], discrete: DiscreteLagrangian | None) -> dict[str, object] | None:
    """Return the sections on a step of a discrete Lagrangian; None without one."""
    if discrete is None:
        return None

    def shown(sections: Sequence[Section]) -> list[dict[str, object]]:
        return [{"title": s.title, "text": s.text, "math": _blocks(s.rows)} for s in sections]

    own = [(view.derived.statement.name, shown(view.sections())) for view in steps]
    return {"name": discrete.name, "sections": shown(step_sections(steps, discrete)), "statements": own}


def latex(equations: Equations, *, newton: bool = False, discrete: DiscreteLagrangian | None = None) -> str:
    """Return display equations for MathJax and LaTeX; see `symlie.derive.equations.Equations.latex`."""
    equations = equations.with_symbols
    views, steps, blocks = _views(equations, newton=newton), _step_views(equations, discrete), []
    for view in views:
        if len(views) > 1:
            blocks.append(_heading(f"Terms of {view.derived.statement.name}"))
        blocks += _blocks([row for rows in _rows(view).values() for row in rows])
    if discrete is not None:
        blocks.append(_heading(f"Step of the discrete Lagrangian {discrete.name}"))
        blocks += _blocks([row for section in step_sections(steps, discrete) for row in section.rows])
    for step in steps:
        if len(steps) > 1:
            blocks.append(_heading(f"Terms of {step.derived.statement.name} in a step"))
        blocks += _blocks([row for section in step.sections() for row in section.rows])
    return "\n\n".join(blocks)


def _heading(text: str) -> str:
    return f"$$\n\\textbf{{{text.replace('_', ' ')}}}\n$$"


def _views(equations: Equations, *, newton: bool) -> list[StatementView]:
    inputs = equations.elements.run_time_tables
    return [StatementView(d, _parameters(equations, d), inputs, newton=newton) for d in equations.derived]


def _step_views(equations: Equations, discrete: DiscreteLagrangian | None) -> list[StepView]:
    if discrete is None:
        return []
    inputs = equations.elements.run_time_tables
    return [StepView(d, discrete, _parameters(equations, d), inputs) for d in equations.derived]


def _parameters(equations: Equations, derived: DerivedStatement) -> list[Parameter]:
    model = equations.elements
    return [*model.parameters, *(derived.statement.parameters if derived.statement is not model else [])]


def _sections(view: StatementView) -> list[dict[str, object]]:
    constraints = view.derived.statement.constraints
    affine = [c.is_affine for c in constraints for _ in c.rows]
    rate = " + b" if any(e != 0 for e, of in zip(view.derived.constraints.rate, affine, strict=True) if of) else ""
    holonomic, of_velocities = all(c.level == 0 for c in constraints), [c for c in constraints if c.level == 1]
    rolling = [rf"$B \thinspace v{rate} = 0$."] if any(c.is_affine for c in of_velocities) else []
    nonlinear = [r"$\psi = 0$ with $B = \partial \psi / \partial v$."] if not all(affine) else []
    second = r"\ddot\Phi" if holonomic else rf"\frac{{\mathrm{{d}}}}{{\mathrm{{d}}t}}(B \thinspace v{rate})"
    stated = all(c.level == 2 for c in constraints)
    force = r"\partial g / \partial v" if all(affine) else r"\partial (g + B^{\mathsf{T}} \lambda) / \partial v"
    hidden = "" if stated else rf", $H = \mathrm{{D}}_q(B \thinspace v{rate})$"
    texts = {
        "Fields": "Algebra-valued: the node moves along the generator of $f$.",
        "Mass matrix": "Constant." if view.derived.dynamics.mass_is_constant else "",
        "Hidden constraints": rf"$\dot\Phi = B \thinspace v{rate} = 0$.",
        "Nonholonomic constraints": " ".join(rolling + nonlinear),
        "Dependent nodes": "They are not states: other nodes determine their configurations and velocities.",
        "Curvature": r"$B \thinspace \dot v + Z = 0$." if stated else rf"${second} = B \thinspace \dot v + Z = 0$.",
        "Events": " ".join(_when(e, view.derived.statement) for e in view.derived.statement.events),
        "Newton matrices": r"$K = \mathrm{D}_q(M \dot v + g + B^{\mathsf{T}} \lambda)$, "
        rf"$C = {force}${hidden}; blocks that are not shown are zero.",
    }
    shown = {title: _blocks(rows) for title, rows in _rows(view).items()}
    return [{"title": title, "text": texts.get(title, ""), "math": math} for title, math in shown.items()]


def _rows(view: StatementView) -> dict[str, list[Row]]:
    """Typeset all terms of a statement, by title."""
    sections = {
        "Statements": view.definitions,
        "Energies": energy_rows(view),
        "Mass matrix": mass_rows(view),
        "Forces": force_rows(view),
        "Fields": field_rows(view),
        "Dependent nodes": dependent_rows(view),
        **constraint_rows(view),
        "Outputs": output_rows(view),
        "Events": event_rows(view),
        "Newton matrices": newton_rows(view),
    }
    return {title: rows for title, rows in sections.items() if rows}


def _when(event: Event, statement: Statement) -> str:
    crossing = {"rising": "rises", "falling": "falls"}.get(event.direction, "passes")
    resets = any(r.event == event.name for r in statement.resets)
    at = [e for e in statement.engagements if e.event == event.name]
    is_terminal = not (resets or at) if event.is_terminal is None else event.is_terminal
    effects = [
        *["changes the state"] * resets,
        *(f"{'engages' if e.is_engaged else 'releases'} `{e.constraint}`" for e in at),
        *["ends the integration"] * is_terminal,
    ]
    ending = f"which {' and '.join(effects or ['is recorded'])}"
    return f"`{event.name}`: {crossing} through zero, {ending}."


def _node(view: StatementView, node: Node) -> dict[str, object]:
    superscript = view.superscript(node)
    storage = [(str(field_letter(f, superscript)), f) for f in node.group.storage_fields]
    velocity = [(str(field_letter(f, superscript)), f) for f in node.group.velocity_fields]
    return {
        "name": node.name,
        "group": node.group.name,
        "q": ", ".join(name for name, _ in storage),
        "v": "; ".join(name for name, _ in velocity),
        "fields": [(name, f.size, _meaning(node.group, f)) for name, f in storage + velocity],
        "math": _blocks(kinematic_rows(view, node)),
    }


def _meaning(group: ConfigurationSpace, field: Field) -> str:
    if not isinstance(group, LieGroup):
        return ""
    stem = field.name.rstrip("0123456789")
    turns = any(factor.rotation or factor.rotation_parameters for factor, _, _ in group.simple_factors)
    if stem in _PLANAR and field.size == (2 if stem == "p" else 1):
        return _PLANAR[stem]
    return (_MEANINGS if turns else {**_MEANINGS, **_COORDINATES}).get(stem, "")


def _blocks(rows: Sequence[Row]) -> list[str]:
    return [block(rows[i : i + ROWS_PER_BLOCK]) for i in range(0, len(rows), ROWS_PER_BLOCK)]


def block(rows: Sequence[Row]) -> str:
    """Return an aligned block of equations."""
    lines = [f"{row.left} &= " + " \\\\\n&= ".join(row.right) for row in rows]
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"


def protected(page: str) -> str:
    """Put a space after underscores in formulas that Markdown would read as the start of emphasis."""
    return re.sub(r"(?<=[^\w\s])_(?=\S)", "_ ", page)
