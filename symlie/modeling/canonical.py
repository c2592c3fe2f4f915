"""A canonical text of what a model's kernels depend on: equal texts give equal kernels.

Numbers of nodes and instances, connectivity, values of parameters and initial values of arrays do not appear.
"""

from __future__ import annotations

from symlie.groups.group import LieGroup, storage_symbols
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace
from symlie.ir.program import Assignment, needed_statements
from symlie.modeling.model import Model
from symlie.modeling.stated_terms import terms_of
from symlie.modeling.statement import Statement


def canonical_text(model: Model) -> str:
    """Text of the statements of a model and its element types."""
    lines = [f"model {model.name}"]
    lines += dict.fromkeys(f"array {_space(a.group)}" for a in model.arrays)
    lines += [f"initial {v.node} {v.field} {v.components}" for v in model.initial_values]
    lines += [f"motion {m.group.name} {m.storage}" for m in model.motions]
    lines += [f"input {i.name} {i.size} {i.unit}" for i in model.inputs]
    for statement in (model, *(i.element for i in model.instances)):
        lines += _statement(statement)
    return "\n".join(lines)


def _space(space: ConfigurationSpace) -> str:
    if not isinstance(space, HomogeneousSpace):
        return _group(space)
    g, y = storage_symbols(space.group, "g"), storage_symbols(space)
    return (
        f"{space.name} {space.is_left} {space.is_frame} {space.action(g, y)} {space.origin} "
        f"{space.normalize(y)} {space.storage_fields} {_group(space.group)}"
    )


def _group(group: LieGroup) -> str:
    a, b = storage_symbols(group, "a"), storage_symbols(group, "b")
    rotation = group.rotation(a) if group.rotation else ()
    fields = (*group.storage_fields, *group.velocity_fields)
    return (
        f"{group.name} {group.compose(a, b)} {group.inverse(a)} {group.identity} {list(group.basis)} "
        f"{group.normalize(a)} {rotation} {group.is_reduced} {fields}"
    )


def _statement(statement: Statement) -> list[str]:
    lines = [f"statement {statement.name}"]
    lines += [f"node {n.name} {_space(n.group)}" for n in statement.nodes]
    lines += [f"parameter {p.name} {p.shape} {p.unit}" for p in statement.parameters]
    # Derivation appends statements to the program, so only what the statement itself needs counts.
    stated = [e for _, expressions in terms_of(statement) for e in expressions]
    for s in needed_statements(statement.program, stated):
        if isinstance(s, Assignment):
            lines.append(f"{s.symbol} = {s.expression}")
        else:
            arguments = [a.components for a in s.arguments]
            lines.append(f"{s.result.components} = {s.operation} {arguments}")
    lines.append(f"energies {statement.kinetic} {statement.potential} {statement.dissipated} {statement.energies}")
    lines += [f"field {node.name} {vector}" for node, vector in statement.fields]
    lines += [f"place {p.place} {p.reference} {p.offset} {p.has_velocity} {p.last_first}" for p in statement.placements]
    lines += [f"force {node.name} {vector}" for node, vector in statement.generalized_forces]
    lines += [f"applied {position} {force}" for position, force in statement.applied_forces]
    lines += [f"constraint {c.name} {c.level} {c.rows}" for c in statement.constraints]
    lines += [f"output {o.name} {o.components} {o.unit}" for o in statement.outputs]
    lines += [f"event {e.name} {e.expression} {e.direction} {e.is_terminal}" for e in statement.events]
    return lines
