"""Solutions as JSON objects of the command line."""

from __future__ import annotations

import dataclasses

from symlie.runtime.solution.solution import Solution


def solution_json(solution: Solution) -> dict[str, object]:
    """Return all recorded quantities by name; ``angles``, ``trace`` and ``events`` only if they can exist."""
    layout = solution.system.layout
    angles, outputs = _angles_json(solution), {name: values.tolist() for name, values in solution.outputs.items()}
    events = [{"name": e.name, "instance": e.instance, "t": e.t} for e in solution.events]
    return {
        "model": layout.name,
        "options": layout.options,
        "method": solution.method,
        "backend": solution.system.backend,
        "status": solution.status,
        "t": solution.t.tolist(),
        "q": {n.name: n.by_node(solution.q, velocity=False).tolist() for n in layout.nodes if n.is_state},
        "v": {n.name: n.by_node(solution.v, velocity=True).tolist() for n in layout.nodes if n.is_state},
        **({"angles": angles} if angles else {}),
        "multipliers": {name: rows.tolist() for name, rows in solution.named_multipliers().items()},
        "outputs": outputs,
        "statistics": dataclasses.asdict(solution.statistics),
        "warnings": [*solution.warnings, *solution.outputs.warnings],
        **({"undetermined": solution.undetermined._asdict()} if any(solution.undetermined) else {}),
        **({} if solution.trace is None else {"trace": {n: x.tolist() for n, x in solution.trace.columns.items()}}),
        **({"events": events} if layout.events else {}),
    }


def _angles_json(solution: Solution) -> dict[str, object]:
    """Return angles by node, or by node and field for nodes with several angles."""
    angles = {}
    for node in solution.system.layout.nodes:
        for entry in node.type.angles:
            name = node.name if len(node.type.angles) == 1 else f"{node.name}.{entry.field}"
            angles[name] = solution.angle(node.name, entry.field).tolist()
    return angles
