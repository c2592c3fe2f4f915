"""A drawn model defined in symlie."""

from __future__ import annotations

import functools
from typing import Any

import sympy

import symlie as sl
from symlie.groups.homogeneous import ConfigurationSpace
from tests.trajectories import groups, motion
from tests.trajectories.drawn import Drawn, Nodes, Part, Term
from tests.trajectories.spaces import known

FUNCTIONS: dict[str, Any] = {
    "sin": sl.sin, "cos": sl.cos, "exp": sl.exp, "sqrt": sl.sqrt, "ln": sympy.log, "tanh": sl.tanh, "atan": sl.atan,
    "sinh": sl.sinh, "cosh": sl.cosh, "atan2": sl.atan2, "select": sl.select, "vec": sl.vector,
    "dot": lambda a, b: a.dot(b), "cross": lambda a, b: a.cross(b), "turn": lambda r, x: r * x,
    "turn_back": lambda r, x: r.T * x, "Abs": sl.Abs, "Max": sl.Max, "Min": sl.Min,
    "logarithm": lambda a: a.node.log(), "relative": lambda a, b: (a.node.inverse() * b.node).log(),
}  # fmt: skip
"""Functions that texts can call."""


class View:
    """A node in texts: ``a.c`` is its storage, other attributes belong to the node."""

    def __init__(self, node: Any) -> None:
        self.node = node

    def __getattr__(self, name: str) -> Any:
        return sl.vector(*self.node.storage) if name == "c" else getattr(self.node, name)


@functools.cache
def space(name: str) -> ConfigurationSpace | str:
    """The group or manifold of a name, as a user states it."""
    kind, _, of = name.partition(":")
    if kind in ("left_dual", "right_dual"):
        return sl.dual_space(sl.group_from_name(of), kind.partition("_")[0])
    if kind == "cotangent":
        return sl.cotangent_space(sl.group_from_name(of))
    if kind in ("left_translation", "right_translation"):
        return sl.translation_space(sl.group_from_name(of), kind.partition("_")[0])
    if known(name) and "x" in name:
        return sl.product_space(*name.split("x"))
    return _STATED[name]() if name in _STATED else name


_STATED = {
    "S2": lambda: sl.S2,
    "TS2": lambda: sl.TS2,
    "ball": lambda: sl.homogeneous_space(
        "ball", sl.SO3, storage={"y": 3}, action=lambda g, y: [g.R * y.y], origin=[0, 0, 1]
    ),
    "plane": lambda: sl.homogeneous_space(
        "plane", sl.SE2, storage={"y": 2}, action=lambda g, y: [g.R * y.y + g.x], origin=[0, 0]
    ),
    "SE23": lambda: sl.semidirect_product(sl.S3, sl.group_from_name("R3xR3"), lambda a: a.R, name="SE23"),
    "SL2": lambda: sl.matrix_group("SL2", groups.SL2_BASIS),
    "SO4": lambda: sl.matrix_group("SO4", [e.astype(int).tolist() for e in groups.skew_basis(4)]),
    "Sim2": lambda: sl.matrix_group("Sim2", groups.SIM2_BASIS),
    "Heisenberg": lambda: sl.lie_group(
        "Heisenberg",
        storage={"x": 1, "y": 1, "z": 1},
        compose=lambda a, b: (a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y),
        inverse=lambda a: (-a.x, -a.y, -a.z + a.x * a.y),
        identity=(0, 0, 0),
    ),
}


def stated(drawn: Drawn) -> sl.Model:
    """The model."""
    model = sl.Model("drawn")
    named: dict[str, Any] = {"t": model.t}
    for name, value in drawn.parameters.items():
        named[name] = model.parameter(name, value)
    for table in drawn.tables:
        if table.interpolation == "stated":
            named[table.name] = model.piecewise_linear(table.name, table.times, table.values)
        else:
            named[table.name] = model.input(table.name)
    members = {nodes.name: _declared(model, nodes) for nodes in drawn.nodes}
    for part in drawn.parts:
        if part.name == "":
            _write(model, part, {local: members[local] for local in part.locals}, named)
            continue
        element = sl.ElementType(part.name, **{local: _given(name) for local, name in part.locals.items()})
        own = {name: element.parameter(name, 1.0) for name in part.parameters}
        _write(element, part, {local: getattr(element, local) for local in part.locals}, named | own)
        by_name = {n.name: n for n in drawn.nodes}
        rows = [tuple(members[n][k] if by_name[n].is_array else members[n] for n, k in row) for row in part.instances]
        model.add(element, rows, **part.parameters)
    return model


def _given(name: str) -> ConfigurationSpace | str:
    return space(name)


def _declared(model: sl.Model, nodes: Nodes) -> Any:
    made: Any
    if nodes.is_array:
        made = model.node_array(nodes.name, space(nodes.space), len(nodes.q))
        of = made.group
        made.initial(**{f.name: [q[f.offset : f.offset + f.size] for q in nodes.q] for f in of.storage_fields})
        if of.velocity_fields:
            made.initial(**{f.name: [v[f.offset : f.offset + f.size] for v in nodes.v] for f in of.velocity_fields})
        if nodes.fixed:
            made.fix(*nodes.fixed)
    else:
        made = model.node(nodes.name, space(nodes.space))
        of = made.group
        if not nodes.motions and not nodes.placed:
            model.initial(made, **{f.name: nodes.q[0][f.offset : f.offset + f.size] for f in of.storage_fields},
                          **{f.name: nodes.v[0][f.offset : f.offset + f.size] for f in of.velocity_fields})  # fmt: skip
    for k, given in nodes.motions.items():
        fields = motion.texts(nodes.space, given)
        model.prescribe(
            made[k] if nodes.is_array else made, **{f: _value(text, {"t": model.t}) for f, text in fields.items()}
        )
    return made


def _value(text: str, named: dict[str, Any]) -> Any:
    return eval(text, {"__builtins__": {}, **FUNCTIONS, **named})


def _write(statement: Any, part: Part, nodes: dict[str, Any], named: dict[str, Any]) -> None:
    views = named | {local: View(node) for local, node in nodes.items()}
    for term in part.terms:
        _state(statement, term, _value(term.text, views), nodes, views)


def _state(statement: Any, term: Term, value: Any, nodes: dict[str, Any], views: dict[str, Any]) -> None:
    match term.kind:
        case "kinetic":
            statement.kinetic_energy(value)
        case "potential":
            statement.potential_energy(value)
        case "energy" | "hamiltonian" | "dissipation":
            getattr(statement, term.kind)(value)
        case "generalized":
            statement.generalized_force(nodes[term.name], value)
        case "force":
            statement.force(value, at=_value(term.other, views))
        case "torque":
            statement.torque(value, on=nodes[term.name])
        case "constraint" | "nonholonomic" | "acceleration":
            suffix = "" if term.kind == "constraint" else "_constraint"
            getattr(statement, term.kind + suffix)(term.name, value)
        case "field" | "vector_field":
            getattr(statement, term.kind)(nodes[term.name], value)
        case "place":
            statement.dependent(nodes[term.name], x=nodes[term.other].x + value)
        case "output":
            statement.output(term.name, value)
