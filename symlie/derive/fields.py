"""Fields of nodes without velocity, and the motion of nodes that are placed by others."""

from __future__ import annotations

from sympy import Expr, Integer

from symlie.errors import ModelError
from symlie.ir.differentiate import forward
from symlie.ir.program import depends_on
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement


def total_field(statement: Statement, place: int) -> tuple[Expr, ...]:
    """The sum of the fields that a statement gives to its node at a place."""
    node = statement.nodes[place]
    parts = [f for n, f in statement.fields if n is node]
    return tuple(sum(column, Integer(0)) for column in zip(*parts, strict=True))


def placed_offsets(statement: Statement) -> list[Expr]:
    """For each placement its offset and the rate of that along the motion, q' = v and y' = ψ_*(f)|_y.

    Raises
    ------
    ModelError
        The rate depends on accelerations.
    """
    moved = [k for k, node in enumerate(statement.nodes) if any(n is node for n, _ in statement.fields)]
    seeds = statement.motion()
    seeds += [(statement.nodes[k].value, statement.program.vector(total_field(statement, k))) for k in moved]
    accelerations = [s for n in statement.nodes for s in n.acceleration.components]
    result: list[Expr] = []
    for placement in statement.placements:
        rates = forward(statement.program, placement.offset, seeds)
        if depends_on(statement.program, rates, accelerations):
            raise ModelError(
                f"The offset of node '{statement.nodes[placement.place].name}' has a rate that depends on "
                "accelerations; place nodes by points whose rate is known from the state."
            )
        result += [*placement.offset, *rates]
    return result


def check_placements(model: Model) -> None:
    """Check that each placed node is placed once, after what places its reference, by fields of one element type.

    Raises
    ------
    ModelError
        It is not.
    """
    placed: set[tuple[str, int]] = set()
    to_place = {(row[p.place]) for i in model.instances for p in i.element.placements for row in i.nodes}
    for instances in model.instances:
        element = instances.element
        for row in instances.nodes:
            for p in element.placements:
                name, index = row[p.place]
                if row[p.place] in placed:
                    raise ModelError(f"Node '{name}[{index}]' is placed twice, last by element type '{element.name}'.")
                if row[p.reference] in to_place - placed:
                    other, number = row[p.reference]
                    raise ModelError(
                        f"Node '{name}[{index}]' is placed by '{other}[{number}]' before that is placed itself; add "
                        "instances in the order in which nodes are reached."
                    )
                placed.add(row[p.place])
    _check_fields(model)


def _check_fields(model: Model) -> None:
    moved_by: dict[tuple[str, int], list[str]] = {}
    for instances in model.instances:
        element = instances.element
        for row in instances.nodes:
            for k, node in enumerate(element.nodes):
                if any(n is node for n, _ in element.fields):
                    moved_by.setdefault(row[k], []).append(element.name)
    for instances in model.instances:
        element = instances.element
        used = [
            k
            for k, node in enumerate(element.nodes)
            if not node.group.velocity_dimension
            and any(depends_on(element.program, p.offset, node.value.components) for p in element.placements)
        ]
        for row in instances.nodes:
            for k in used:
                if moved_by.get(row[k]) != [element.name]:
                    raise ModelError(
                        f"Element type '{element.name}' places nodes by node '{row[k][0]}[{row[k][1]}]', so that it "
                        "must state the whole field of that node."
                    )
