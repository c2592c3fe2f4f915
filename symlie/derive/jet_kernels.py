"""Jets of a model: the Taylor coefficients of its motion, order by order, in kernels of node types and element types.

    q' = S(q) v  (rate, of nodes),   c = B(t, q) v + b(t, q)  (hidden),   z = B(t, q) a + Z(t, q, v)  (index1),
    r = M(t, q) a + g(t, q, v) + B(t, q)ᵀ λ  (force),
    f(t, q, v, a, λ), for models with angles, and S(q) f  (field, of nodes without velocities)

Their coefficients are computed recursively, z for acceleration-level constraints only, together with dependent nodes:
(dependent). At order k, c without the contribution
of v_k, z without a_k and r without a_k and λ_k determine (`symlie.runtime.methods.taylor`) v_k, a_k and λ_k, which
complete them. M a is left out if M is constant, because it contributes only M a_k. Common terms of c and r in t and q,
such as B, are computed for c, whose order k comes first, and reused for r (`symlie.ir.jets.sharing`). Parameters enter
as defined; terms that depend only on them are computed with order 0.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from symlie.contract.set_table import JetLayout
from symlie.contract.sets import KernelSet
from symlie.contract.signature import Argument, Signature
from symlie.derive.arrangement import kept_elimination
from symlie.derive.dependents import dependent_places
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.equations import Equations
from symlie.derive.fields import moved_nodes
from symlie.derive.jet_statements import CONSTANT, PARAMETERS, JetStatement, element_statements, flattened
from symlie.derive.kernels import configuration_symbols, parameter_symbols
from symlie.derive.motions import motion_kernel
from symlie.derive.node_types import angle_layouts, array_symbols
from symlie.errors import ModelError
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.ir.hoisting import ParameterHoisting
from symlie.ir.jets.derivation import jet_of
from symlie.ir.jets.one_pass import ARGUMENTS, COMPOSITIONS, KEPT, ORDER, SLOPES, SUMS
from symlie.ir.jets.sharing import SHARED, Numbers, numbered
from symlie.ir.kernels import Kernel, owners_read
from symlie.ir.program import Program
from symlie.ir.sets import ElementTypeSet, MotionSet, NodePlace, NodeTypeSet, SetKernels
from symlie.ir.straightline import StraightLine, by_output
from symlie.modeling.model import Model

_MEANINGS = {
    "rate": "motion",
    "hidden": "constraint",
    "index1": "constraint",
    "force": "force",
    "field": "field",
    "dependent": "dependent node",
    "motion": "motion",
    "event": "event",
}
"""Quantities of jets, for messages."""

_Type = TypeVar("_Type", NodeTypeSet, ElementTypeSet)


def jet_kernels(equations: Equations, chosen: KernelSet) -> SetKernels:
    """Return the set of jets of a model; raise `ModelError` if a term has no rule for Taylor coefficients."""
    model = equations.elements
    nodes = tuple(_node_jets(space) for space in dict.fromkeys(model.spaces))
    # Unwrapped angles follow the vector fields; without them, steps need only the rates of the nodes.
    follows = any(angle_layouts(space) for space in model.spaces)
    elements = _with_unread_dependents(
        _with_events_of_all([_element_jets(model, d, follows) for d in equations.derived])
    )
    if not equations.is_fixed:
        nodes, elements = tuple(map(_side_by_side, nodes)), tuple(map(_side_by_side, elements))
    motions = tuple(_motion_jet(model, number) for number in range(len(model.motions)))
    elimination = kept_elimination(equations.emitted.types, equations.arrangement) if equations.is_fixed else ()
    return SetKernels(
        model.name, chosen, nodes, elements, motions=motions, elimination=elimination, follows_fields=follows
    )


def _side_by_side(of_type: _Type) -> _Type:
    """Return a type whose jets are batched in SIMD lanes."""
    # Excluded are jets of sequentially dependent nodes, piecewise jets, whose branches differ between elements, and
    # jets that share values with these.
    alone = set[str]()
    if isinstance(of_type, ElementTypeSet) and of_type.depends_in_turn:
        alone.add(f"{of_type.name}_dependent_jet")
    for kernel in of_type.kernels:
        if any(i.operator == "select" for i in kernel.body.instructions):
            alone.add(kernel.signature.name.removesuffix("_end"))
    alone |= {jet.name for jet in of_type.jets if jet.conditions}
    sharing = {jet.name for jet in of_type.jets if jet.given or jet.taken}
    if sharing & alone:
        alone |= sharing
    return replace(of_type, jets=tuple(replace(jet, side_by_side=jet.name not in alone) for jet in of_type.jets))


def _motion_jet(model: Model, number: int) -> MotionSet:
    group, parameters = model.motions[number].group, parameter_symbols(model)
    whole = motion_kernel(model, number, parameters, ParameterHoisting(len(parameters), "p")).body
    body = replace(whole, outputs=whole.outputs[: group.storage_dimension + group.dimension])
    of = JetStatement(body, {"t": None, "p": len(parameters)})
    kernels, jet = _jet(f"{model.name}_motion_{number}", "motion", of)
    return MotionSet(group.storage_dimension, group.dimension, kernels, jet)


@functools.cache
def _node_jets(space: ConfigurationSpace) -> NodeTypeSet:
    program = Program()
    if not space.velocity_dimension:
        return NodeTypeSet(space.name, space.storage_dimension, space.dimension, (), (), moves_by_field=True)
    (q, of_q), (w, of_w) = (array_symbols(x, n) for x, n in (("q", space.storage_dimension), ("w", space.dimension)))
    rate = space.storage_tangent(program, q, w)
    of = JetStatement(flattened(program, rate, of_q | of_w), {"q": len(q), "w": len(w)})
    kernels, jets = _jet(space.name, "rate", of)
    return NodeTypeSet(space.name, len(q), len(w), kernels, (jets,))


def _with_events_of_all(elements: Sequence[ElementTypeSet]) -> tuple[ElementTypeSet, ...]:
    """Return element types; if one event function has no jet rule, no event functions have jets, and all are
    sampled."""

    def is_of_events(name: str) -> bool:
        return "_event_jet" in name

    if all(any(is_of_events(jet.name) for jet in e.jets) for e in elements if e.events):
        return tuple(elements)
    return tuple(
        replace(
            e,
            kernels=tuple(k for k in e.kernels if not is_of_events(k.signature.name)),
            jets=tuple(jet for jet in e.jets if not is_of_events(jet.name)),
        )
        for e in elements
    )


def _with_unread_dependents(elements: Sequence[ElementTypeSet]) -> tuple[ElementTypeSet, ...]:
    """Return element types in which dependent nodes are marked if no other order uses their coefficients."""
    # Only the topology determines which nodes are dependent; any node of the same type as a dependent node may be
    # dependent.
    read = {name for e in elements for name in _types_read(e, [j.name for j in e.jets if j.name != _dependents(e)])}
    waiting = [e for e in elements if e.dependents]
    while found := [e for e in waiting if not read.isdisjoint(e.places[k].type for k, _ in e.dependents)]:
        read.update(name for e in found for name in _types_read(e, [_dependents(e)]))
        waiting = [e for e in waiting if e not in found]
    unread = {_dependents(e) for e in waiting}
    return tuple(replace(e, jets=tuple(replace(j, unread=j.name in unread) for j in e.jets)) for e in elements)


def _dependents(element: ElementTypeSet) -> str:
    return f"{element.name}_dependent_jet"


def _types_read(element: ElementTypeSet, jets: Sequence[str]) -> Iterator[str]:
    """Yield the types of nodes whose coefficients some jets use."""
    owners = {
        "q": [p.type for p in element.places for _ in range(p.storage)],
        "v": [p.type for p in element.places for _ in range(p.velocities)],
    }
    names = [f"{name}{end}" for name in jets for end in ("", "_end")]
    for kernel in element.kernels:
        if kernel.signature.name in names:
            yield from owners_read(kernel, owners)


def _element_jets(model: Model, derived: DerivedStatement, follows_fields: bool) -> ElementTypeSet:
    statement = derived.statement
    places, types = dependent_places(statement), [n.group.name for n in statement.nodes]
    stated = element_statements(model, derived, follows_fields)
    numbers: Numbers = {}
    known = _given(stated["hidden"], numbers) if "hidden" in stated else {}
    found = [_jet(statement.name, name, of, numbers, known) for name, of in stated.items() if name != "event"]
    if "event" in stated:
        with contextlib.suppress(ModelError):
            found.append(_jet(statement.name, "event", stated["event"], numbers))
    return ElementTypeSet(
        statement.name,
        len(configuration_symbols(statement)),
        sum(n.group.velocity_dimension for n in statement.nodes),
        len(derived.constraints.jacobian),
        (),
        tuple(kernel for kernels, _ in found for kernel in kernels),
        jets=tuple(layout for _, layout in found),
        places=tuple(
            NodePlace(n.group.name, n.group.storage_dimension, n.group.dimension, n.group.velocity_dimension)
            for n in statement.nodes
        ),
        fields=tuple((k, statement.nodes[k].group.dimension) for k in moved_nodes(statement)),
        dependents=places.nodes,
        depends_in_turn=bool({types[k] for k, _ in places.nodes} & {types[k] for k in places.read}),
        events=len(statement.events),
    )


def _given(of: JetStatement, numbers: Numbers) -> dict[str, str]:
    """Return the value numbers of shared values, by their names in the other jet."""
    of_values = numbered(of.body.instructions, numbers, {})
    return {
        f"{SHARED}[{k}]": of_values[str(o)] for k, o in enumerate(of.body.outputs[len(of.body.outputs) - of.given :])
    }


def _jet(
    owner: str, name: str, of: JetStatement, numbers: Numbers | None = None, of_taken: Mapping[str, str] | None = None
) -> tuple[tuple[Kernel, ...], JetLayout]:
    """Return the kernels of a jet and its layout."""
    what, has_no_pieces, name = _MEANINGS[name], name in ("rate", "dependent"), f"{owner}_{name}_jet"
    body, sizes, later, given, taken = of.body, of.sizes, of.later, of.given, of.taken
    try:
        jet = jet_of(name, body, CONSTANT, tuple(f"{label}[" for label in later), numbers, of_taken)
    except ModelError as error:
        raise ModelError(
            f"The {what} of '{owner}' has no Taylor series, which method taylor requires: {error}"
        ) from error
    layout = replace(jet.layout, results=len(body.outputs) - given, given=given, taken=taken)
    if layout.conditions and has_no_pieces:
        raise ModelError(f"The {what} of '{owner}' is piecewise, which method taylor does not support there.")
    inputs = [Argument(label, size) for label, size in (sizes | {SHARED: taken} if taken else sizes).items()]
    early = [a for a in inputs if a.name not in (*later, *PARAMETERS)]
    late = [a for a in inputs if a.name in later]
    order, results = Argument(ORDER, None), [Argument("out", layout.results, True)]
    if given:
        results.append(Argument(SHARED, given, True))
    count = layout.conditions
    conditions = [Argument("condition", count, True)] if count else []
    begin = [*inputs, *results, Argument(KEPT, layout.kept, True)]
    known = [Argument(KEPT, layout.kept), Argument(SUMS, len(layout.products))]
    factors = Argument("factors", layout.factors, True)
    of_order = [order, *early, *known]
    arguments = [Argument(ARGUMENTS, layout.arguments, True)] if layout.arguments else []
    if arguments:
        of_order += [Argument(label, len(layout.compositions)) for label in (SLOPES, COMPOSITIONS)]
    begin += [*arguments, *conditions, *([Argument("size", count, True)] if count else [])]
    kernels = [
        _kernel(f"{name}_begin", begin, jet.begin, "Order 0 of a jet."),
        _kernel(name, [*of_order, *results, factors, *arguments, *conditions], jet.order, "Order k of a jet."),
    ]
    if layout.late:
        of_rest = [order, *late, known[0], replace(factors, size=layout.late)]
        kernels.append(_kernel(f"{name}_end", of_rest, jet.rest, "What inputs that were found add to factors."))
    return tuple(kernels), layout


def _kernel(name: str, arguments: Sequence[Argument], body: StraightLine, meaning: str) -> Kernel:
    return Kernel(Signature(name, tuple(arguments)), by_output(body), meaning)
