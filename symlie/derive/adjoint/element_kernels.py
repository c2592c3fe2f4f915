"""Gradients of the terms of a definition, multiplied by weights w, by reverse differentiation.

    wᵀ(M a + g + Cᵀ λ),  wᵀΦ,  wᵀ(B v + b),  wᵀ(B a + Z),  wᵀf,  wᵀy  (1)

Cᵀλ is the constraint force with friction. Gradients by configurations are trivialised. Those by accelerations
are needed only for fields f of first-order states. Derivatives by inputs and by points of tables of parameters are
those by changes of their values, which are zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Integer

from symlie.contract.signature import Argument
from symlie.derive.adjoint.gradient_kernel import gradient_kernel
from symlie.derive.adjoint.symplectic_kernels import symplectic_gradients
from symlie.derive.adjoint.weighted import weighted_gradient
from symlie.derive.dependents import dependent_parts
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.dynamics import inverse_dynamics
from symlie.derive.fields import moved_nodes, total_field
from symlie.derive.kernels import configuration_symbols, instance_symbols, parameter_symbols, symbols_of
from symlie.derive.matrices.fields import has_points
from symlie.derive.matrices.newton import constraint_forces
from symlie.ir.differentiate import forward, stored_weights
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Value, Vector
from symlie.ir.sets import ElementTypeSet, GradientPlaces, NodePlace
from symlie.modeling.element_type import ElementType
from symlie.modeling.model import Model


def element_gradients(model: Model, derived: DerivedStatement) -> ElementTypeSet:
    """Return the kernels of gradients of an element type."""
    # All sets are statements of one program; what other sets derive from it first makes generated code unique.
    _ = derived.fields if has_points([derived]) else derived.newton
    statement, constraints = derived.statement, derived.constraints
    along = [s for n in statement.moving_nodes for s in n.acceleration.components]
    balance = inverse_dynamics(statement, derived.dynamics, along)
    pulled = constraint_forces(derived, statement.multipliers, with_friction=True)
    curvature = [
        z + sum((b * a for b, a in zip(row, along, strict=True)), Integer(0))
        for z, row in zip(constraints.curvature, constraints.jacobian, strict=True)
    ]
    moved = [k for k in moved_nodes(statement) if not statement.nodes[k].group.velocity_dimension]
    terms: dict[str, tuple[str, Sequence[Expr]]] = {
        "balance_gradient": ("velocities", [a + b for a, b in zip(balance, pulled, strict=True)]),
        "position_gradient": ("rows", constraints.position),
        "hidden_gradient": ("rows", constraints.hidden),
        "curvature_gradient": ("rows", curvature),
        "field_gradient": ("fields", [c for k in moved for c in total_field(statement, k)]),
        "output_gradient": ("outputs", [c for o in statement.outputs for c in o.components]),
    }
    builder = _Builder(model, derived)
    found = [builder.kernel(name, weights, term) for name, (weights, term) in terms.items()]
    found += [builder.dependents(), builder.increments_of_dependents(), *symplectic_gradients(model, derived)]
    kernels = tuple(kernel for kernel, _ in found if kernel.body.outputs)
    places = tuple(part for kernel, part in found if kernel.body.outputs)
    nodes = statement.nodes
    return ElementTypeSet(
        statement.name,
        len(configuration_symbols(statement)),
        sum(n.group.velocity_dimension for n in nodes),
        len(constraints.jacobian),
        (),
        kernels,
        places=tuple(
            NodePlace(n.group.name, n.group.storage_dimension, n.group.dimension, n.group.velocity_dimension)
            for n in nodes
        ),
        fields=tuple((k, nodes[k].group.dimension) for k in moved),
        dependents=tuple((d.place, d.reference) for d in dependent_parts(statement)),
        gradients=places,
        own_parameters=len(builder.own),
        own_inputs=len(statement.inputs) if isinstance(statement, ElementType) else 0,
        outputs=sum(len(o.components) for o in statement.outputs),
    )


class _Builder:
    """Builder of the kernels of one element type."""

    def __init__(self, model: Model, derived: DerivedStatement) -> None:
        self._statement, self._inputs = derived.statement, model.inputs
        statement = self._statement
        self._model, self._slots = symbols_of(model.parameters), parameter_symbols(model)
        self.own = instance_symbols(statement)
        vectors: dict[str, Sequence[Expr]] = {
            "q": configuration_symbols(statement),
            "a": [s for n in statement.nodes for s in n.acceleration.components],
            "multipliers": statement.multipliers,
            "p": self._slots,
            "e": self.own,
        }
        self._references = _references(vectors)
        self._references[statement.time] = "t"
        self._sizes = {label: len(symbols) for label, symbols in vectors.items()}

    def kernel(self, name: str, weights: str, term: Sequence[Expr]) -> tuple[Kernel, GradientPlaces]:
        """Return the kernel of the gradient of a weighted term, and the places of its components."""
        program = self._statement.program
        factors = program.fresh("w", len(term)) if term else ()
        return self._kernel(name, weights, program.vector(term), factors, factors)

    def dependents(self) -> tuple[Kernel, GradientPlaces]:
        """Return that of configurations and velocities of dependent nodes, without those of their references."""
        return self._dependents("dependent_gradient", [part.velocity for part in dependent_parts(self._statement)])

    def increments_of_dependents(self) -> tuple[Kernel, GradientPlaces]:
        """Return the same with the increments of dependent nodes by those of all nodes, instead of velocities."""
        statement, program, found = self._statement, self._statement.program, list[Vector]()
        sizes = [n.group.dimension for n in statement.nodes]
        increments = [Value(program.fresh("v", size), Euclidean(size)) for size in sizes]
        seeds = [(n.value, x.components) for n, x in zip(statement.nodes, increments, strict=True)]
        for part in dependent_parts(statement):
            stored = program.vector(part.configuration)
            rates = program.vector(forward(program, stored, seeds))
            found.append(statement.nodes[part.place].lie_group.algebra_tangent(program, stored, rates))
        return self._dependents("dependent_increment_gradient", found, increments)

    def _dependents(
        self, name: str, velocities: Sequence[Vector], inputs: Sequence[Value] | None = None
    ) -> tuple[Kernel, GradientPlaces]:
        """Return the kernel for configurations and velocities of dependent nodes as functions of other velocities.

        Cotangents w of configurations F are converted to those of their stored components, the gradient of w·δ by the
        rate of F with the tangent δ.
        """
        statement, program = self._statement, self._statement.program
        term, factors, symbols = list[Expr](), list[Expr](), list[Expr]()
        for part, velocity in zip(dependent_parts(statement), velocities, strict=True):
            group, stored = statement.nodes[part.place].lie_group, program.vector(part.configuration)
            w, v = (program.fresh("w", group.dimension) for _ in range(2))
            term += [*stored, *velocity]
            factors += [*stored_weights(program, group.algebra_tangent, stored, w), *v]
            symbols += [*w, *v]
        return self._kernel(name, "dependents", program.vector(term), factors, symbols, inputs)

    def _kernel(
        self,
        name: str,
        weights: str,
        term: Vector,
        factors: Sequence[Expr],
        symbols: Sequence[Expr],
        velocities: Sequence[Value] | None = None,
    ) -> tuple[Kernel, GradientPlaces]:
        """Return the kernel of the gradient of Σ factor·term, with factors that are functions of weights; default:
        of the velocities of the nodes."""
        program, statement = self._statement.program, self._statement
        velocities = velocities or [n.velocity for n in statement.nodes]
        by_value = self._gradient(term, factors, velocities, by_acceleration=weights == "fields")
        given = {"v": [s for x in velocities for s in x.components], "w": symbols}
        references = {**self._references, **_references(given)}
        inputs = {"t": None, **self._sizes, **{label: len(part) for label, part in given.items()}}
        arguments = [Argument(label, inputs[label]) for label in ("t", "q", "v", "a", "multipliers", "w", "p", "e")]
        return gradient_kernel(statement.name, name, weights, program, by_value, arguments, references)

    def _gradient(
        self, term: Vector, factors: Sequence[Expr], velocities: Sequence[Value], *, by_acceleration: bool
    ) -> tuple[Vector, ...]:
        """Return the gradients by configurations, velocities, accelerations, λ, parameters of the model, own ones, and
        inputs."""
        statement, nodes = self._statement, self._statement.nodes
        moving, multipliers = [n for n in nodes if n.group.velocity_dimension], tuple(statement.multipliers)
        wanted = [
            *(n.value for n in nodes),
            *(v for n, v in zip(nodes, velocities, strict=True) if n.group.velocity_dimension),
            *(n.acceleration for n in moving),
            Value(multipliers, Euclidean(len(multipliers))),
        ]
        weighted = list(zip(term, factors, strict=True))
        found = weighted_gradient(statement, self._inputs, weighted, wanted, (self._model, self.own))
        by_state = iter(found[: len(wanted)])
        by_configuration = tuple(c for _ in nodes for c in next(by_state))
        by_velocity, by_rate = (tuple(c for _ in moving for c in next(by_state)) for _ in range(2))
        by_rate = by_rate if by_acceleration else (Integer(0),) * len(by_rate)
        return by_configuration, by_velocity, by_rate, *by_state, *found[len(wanted) :]


def _references(vectors: Mapping[str, Sequence[Expr]]) -> dict[Expr, str]:
    """Return the entries of arguments by their symbols."""
    return {s: f"{label}[{k}]" for label, symbols in vectors.items() for k, s in enumerate(symbols)}
