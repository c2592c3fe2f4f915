"""Balances of forces on massless velocity components that no constraint determines.

Such a component p has the equation 0 = -g_p(t, q, v), which does not contain its acceleration. This balance becomes
an ordinary constraint: Φ = g_p(t, q) = 0 if it depends on no velocity, so that the coordinate is an algebraic unknown,
and ψ = g_p(t, q, v) = 0 if it depends on rates of such components, as with dampers, so that the coordinate is a
first-order state. Its multipliers μ are zero: where g_p = 0, the equations of all p are (∂g_p/∂q_p)ᵀ μ = 0, or those
with ∂g_p/∂v_p, and this matrix is regular if the balances determine p. So a balance exerts no force on other nodes.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from sympy import Expr, Integer, Symbol

from symlie.derive.dynamics import derive_dynamics
from symlie.errors import ModelError
from symlie.ir.differentiate import reverse
from symlie.ir.program import depends_on, needed_symbols
from symlie.modeling.model import Model
from symlie.modeling.node import Node


def with_balances(model: Model) -> Model:
    """Return the model with constraints for its massless components; raise `ModelError` if a balance determines none or
    is not smooth."""
    kinetic = needed_symbols(model.program, model.kinetic_terms)
    open_nodes = [(node, parts) for node in _candidates(model) if (parts := _open_components(model, node, kinetic))]
    if not open_nodes:
        return model
    balanced = copy.copy(model)
    balanced.program, balanced.constraints = model.program.copy(), list(model.constraints)
    balanced._multipliers = set(model._multipliers)
    balanced._forces_of_all = None
    forces = derive_dynamics(balanced).force
    ends = accumulate((n.group.velocity_dimension for n in balanced.moving_nodes), initial=0)
    parts_of = {n.name: forces[a:b] for n, (a, b) in zip(balanced.moving_nodes, pairwise(ends), strict=True)}
    rates = {node.velocity.components[k] for node, parts in open_nodes for k in parts}
    values = {c for node, _ in open_nodes for c in node.value.components}
    for node, parts in open_nodes:
        _state(balanced, node, [(node.velocity.components[k], parts_of[node.name][k]) for k in parts], rates, values)
    return balanced


def _state(model: Model, node: Node, parts: Sequence[tuple[Expr, Expr]], rates: set[Expr], values: set[Expr]) -> None:
    """Add the balances of components of a node that contain an unknown as constraints, by level."""
    by_level: dict[int, list[tuple[Expr, Expr]]] = {0: [], 1: []}
    for component, row in parts:
        if depends_on(model.program, [row], list(rates)):
            by_level[1].append((component, row))
        elif depends_on(model.program, [row], [*model._velocities]):
            raise ModelError(
                f"Node '{node.name}' of '{model.name}' has a massless velocity component, and the forces on it "
                "depend on velocities of other nodes but not on this component; add mass or a damper to it."
            )
        elif depends_on(model.program, [row], list(values)):
            by_level[0].append((component, row))
    for level, stated in by_level.items():
        if not stated:
            continue
        components, rows = zip(*stated, strict=True)
        model._add_constraint(
            f"{node.name}_balance" + "_of_rates" * level, rows, level=level, is_affine=_is_affine(model, rows),
            balances=components,
        )  # fmt: skip


def _is_affine(model: Model, rows: Sequence[Expr]) -> bool:
    gradients = [reverse(model.program, [(r, Integer(1))], [n.velocity for n in model.moving_nodes]) for r in rows]
    entries = [c for gradient in gradients for part in gradient for c in part]
    return not depends_on(model.program, entries, [*model._velocities])


def _candidates(model: Model) -> Iterator[Node]:
    """Yield nodes that no element type acts on."""
    joined = {name for i in model.instances for row in i.nodes for name, _ in row}
    driven = {m.node for m in model.motions}
    dependent = {model.nodes[d.place].name for d in model.dependents}
    for node in model.moving_nodes:
        if node.group.velocity_dimension and node.name not in joined | driven | dependent:
            yield node


def _open_components(model: Model, node: Node, kinetic: set[Symbol]) -> list[int]:
    """Return the velocity components of a node that neither the kinetic energy nor a constraint contains."""
    open_parts = [k for k, v in enumerate(node.velocity.components) if v not in kinetic]
    if not open_parts:
        return []
    for level, varied in ((0, node.value), (1, node.velocity), (2, node.acceleration)):
        weighted = [r for c in model.constraints if c.level == level for r in c.rows]
        for row in weighted:
            column = reverse(model.program, [(row, Integer(1))], [varied])[0]
            open_parts = [k for k in open_parts if column[k] == 0]
    return open_parts
