"""Motion of points of homogeneous spaces by algebra-valued fields, vector fields or Hamiltonians; dependent nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Integer

from symlie.errors import ModelError
from symlie.groups.group import Field, LieGroup
from symlie.groups.homogeneous import HomogeneousSpace, algebra_map
from symlie.ir.differentiate import forward, reverse
from symlie.ir.program import Euclidean, Value, depends_on
from symlie.modeling.angles import AngleStatement
from symlie.modeling.expressions import components
from symlie.modeling.node import Node, column
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.modeling.terms import Location, Placement
from symlie.utilities.unit_names import UNITS


class FieldStatement(AngleStatement):
    """Fields of first-order states, and definitions of dependent nodes."""

    def field(self, node: Node, algebra: object | None = None, **parts: object) -> None:
        """Add to the algebra-valued field f of a node on a homogeneous space, which moves by y' = ψ_*(f)|_y.

        Parameters
        ----------
        node
            The node.
        algebra
            All components of f, in the order of the velocity of the acting group; or instead
        **parts
            Parts by name of the group's velocity, such as ``Omega=…, U=…`` for SE3. They may depend on the time, on all
            nodes, on velocities and accelerations (``other.v_dot``) of other nodes, and on multipliers.
        """
        space = self._own_space(node)
        given = self._joined(node, algebra, parts, space.group.velocity_fields, space.dimension, "field")
        self.fields.append((node, self.program.vector(given, "f")))

    def vector_field(self, node: Node, rates: object | None = None, **parts: object) -> None:
        """Add the rates F of the stored components to the motion of a node on a homogeneous space.

        The algebra-valued field is derived: the smallest f with ψ_*(f)|_y = F(y).

        Parameters
        ----------
        node
            The node.
        rates
            All rates, in the order of the stored components; or instead
        **parts
            Rates by name of the part of a point, such as ``q=…, omega=…`` for TS2.

        Raises
        ------
        GroupError
            If F is not tangent to the manifold, or does not determine f.
        """
        space = self._own_space(node)
        given = self._joined(node, rates, parts, space.storage_fields, space.storage_dimension, "vector field")
        self._without_multipliers(f"The vector field of node '{node.name}'", given)
        f = algebra_map(space, self.program, node.value.components, given)
        self.units.skip()
        self.fields.append((node, f))

    def rate_along(self, expression: object, node: Node, rates: object | None = None, **parts: object) -> Expression:
        """Return the time derivative of an expression of (t, y) for specified rates of a node on a homogeneous space.

        The field of the node need not be complete: a controller, which is part of the field, may need the rates of its
        reference signal.

        Parameters
        ----------
        expression
            Scalar, vector or matrix expression of the time and of the node.
        node
            The node.
        rates
            Rates of all stored components y, in their order; or instead
        **parts
            Rates by name of the part of a point; omitted parts have rate zero.

        Returns
        -------
        Expr or SymbolicMatrix
            Derivative, in the shape of the expression.

        Raises
        ------
        ModelError
            If the expression depends on other nodes or on multipliers, or if the rates do not fit the node.
        """
        space = self._own_space(node)
        given = self._joined(node, rates, parts, space.storage_fields, space.storage_dimension, "rate")
        plain = components(expression)
        what = "The expression of rate_along"
        self._without_multipliers(what, plain)
        others = [c for n in self.nodes if n is not node for c in (*n.value.components, *n.velocity.components)]
        if depends_on(self.program, plain, others):
            raise ModelError(f"{what} in '{self.name}' depends on nodes other than '{node.name}'.")
        y = Value(node.value.components, Euclidean(space.storage_dimension))
        found = self.program.vector(forward(self.program, plain, [(y, given), (self._time, (Integer(1),))]), "rate")
        self.units.skip()
        if hasattr(expression, "shape"):
            return SymbolicMatrix(*expression.shape, list(found))
        return found[0] if len(found) == 1 else column(found)

    def hamiltonian(self, energy: object) -> None:
        """Add a Hamiltonian H(t, y) on duals of algebras and cotangent bundles, in J.

        It defines the motion of all nodes that it depends on and is reported as their energy.

        Parameters
        ----------
        energy
            Scalar expression of the time and of nodes on `dual_space`, `cotangent_space` or products of them.

        Raises
        ------
        ModelError
            If it depends on a node without this structure.
        """
        h = self._scalar("Hamiltonian", energy)
        moved = [n for n in self.nodes if depends_on(self.program, [h], [*n.value.components, *n.velocity.components])]
        if not moved:
            raise ModelError(f"The Hamiltonian of '{self.name}' depends on none of its nodes.")
        fields = []
        for node in moved:
            space = node.group
            if not isinstance(space, HomogeneousSpace) or space.hamiltonian is None:
                raise ModelError(
                    f"The Hamiltonian of '{self.name}' depends on node '{node.name}' on {space}, on which a "
                    "Hamiltonian alone does not define equations of motion; use dual_space(group) or "
                    "cotangent_space(group)."
                )
            plain = Value(node.value.components, Euclidean(space.storage_dimension))
            (gradient,) = reverse(self.program, [(h, Integer(1))], [plain])
            fields.append((node, self.program.vector(space.hamiltonian(plain.components, gradient), "f")))
        self.units.skip()
        self.fields += fields
        self.energy_terms.append(h)

    def energy(self, energy: object) -> None:
        """Add a term to the reported energy, in J, without influence on the motion.

        Parameters
        ----------
        energy
            Scalar expression of (t, q, v) and accelerations, for systems whose motion is defined by fields.
        """
        energy = self._scalar("energy", energy)
        self.units.check("The energy", energy, UNITS["J"])
        self.energy_terms.append(energy)

    def let(self, expression: object) -> Expression:
        """Bind an intermediate result to symbols, which shortens expressions that use it.

        Parameters
        ----------
        expression
            Scalar, vector or matrix expression.

        Returns
        -------
        Expr or SymbolicMatrix
            Symbols that represent the expression, in its shape.
        """
        parts = components(expression)
        bound = self.program.vector(parts)
        if getattr(expression, "shape", None) is None and len(parts) == 1:
            return bound[0]
        return SymbolicMatrix(*getattr(expression, "shape", (len(parts), 1)), list(bound))

    def dependent(
        self,
        node: Node,
        *,
        reference: Node | None = None,
        offset: object = None,
        velocity: bool = True,
        last_first: bool = False,
        **fields: object,
    ) -> None:
        """Define a node as dependent, q_d = F(t, q): by all its fields, or by a reference node plus an offset.

        The node is not an unknown. Its acceleration follows from its mass and the forces on it, as
        `acceleration_constraint` requires. Nodes that are defined by fields are sorted topologically: each is evaluated
        after all other nodes of its model or element type.

        Parameters
        ----------
        node
            A node with a velocity.
        reference, offset
            For nodes on Rⁿ instead of ``fields``: another node on the same Rⁿ and the difference of the coordinates, an
            expression of the other nodes whose rate does not depend on accelerations. If these nodes or the reference
            are dependent, the elements that define them must be added to the model first.
        velocity
            If true, the velocity of the node includes the rate of the offset; otherwise it equals the velocity of the
            reference.
        last_first
            If true, all nodes of the element type with offsets are evaluated from the last element to the first.
        **fields
            All fields of its configuration and of its velocity, such as ``R=…, x=…, Omega=…, U=…`` of SE3: expressions
            of the time and of other nodes. The velocities must be consistent with the configuration; this is not
            checked.

        Raises
        ------
        ModelError
            If a field is missing or has another size, if an expression depends on the node itself, on accelerations or
            on multipliers, or if the node is already dependent.
        """
        self._own(node)
        if self.nodes.index(node) in [*(p.place for p in self.placements), *(p.place for p in self.locations)]:
            raise ModelError(f"Node '{node.name}' is already dependent.")
        if reference is None:
            if offset is not None:
                raise ModelError(f"The offset of node '{node.name}' needs a reference node.")
            self._define_by_fields(node, fields)
        elif fields:
            raise ModelError(f"Node '{node.name}' depends on a reference and an offset, or on its fields, not on both.")
        else:
            self._define_by_offset(node, reference, offset, velocity, last_first)

    def _define_by_offset(self, node: Node, reference: Node, offset: object, velocity: bool, last_first: bool) -> None:
        given, size = components(offset), node.group.velocity_dimension
        for n in (node, reference):
            if not (isinstance(self._own(n).group, LieGroup) and n.group.name == f"R{size}"):
                raise ModelError(f"Node '{n.name}' on {n.group} has no offset; offsets relate nodes on the same R^n.")
        if node is reference or reference.group is not node.group or len(given) != size:
            raise ModelError(
                f"Node '{node.name}' on {node.group} depends on another node on {node.group} and an offset of {size} "
                f"components, not on '{reference.name}' on {reference.group} and {len(given)}."
            )
        moved = [*node.value.components, *reference.value.components, *self._velocities, *self._accelerations]
        if depends_on(self.program, given, moved):
            raise ModelError(f"The offset of node '{node.name}' must be an expression of t and of the other nodes.")
        self._check_smooth(f"The offset of node '{node.name}'", given, 2)
        if any(p.last_first != last_first for p in self.placements):
            raise ModelError(
                f"Dependent nodes of '{self.name}' must all be evaluated from first to last, or all from last to first."
            )
        self.placements.append(
            Placement(self.nodes.index(node), self.nodes.index(reference), given, velocity, last_first)
        )

    def _define_by_fields(self, node: Node, fields: Mapping[str, object]) -> None:
        space = node.group
        if not space.velocity_dimension:
            raise ModelError(f"Node '{node.name}' on {space} moves by its field; it cannot be a dependent node.")
        known = [*space.storage_fields, *space.velocity_fields]
        if set(fields) != {f.name for f in known}:
            raise ModelError(
                f"Dependent node '{node.name}' on {space} needs {', '.join(f.name for f in known)}, not "
                f"{', '.join(fields) or 'nothing'}."
            )
        configuration, velocity = [Integer(0)] * space.storage_dimension, [Integer(0)] * space.velocity_dimension
        for number, f in enumerate(known):
            given = components(fields[f.name])
            if len(given) != f.size:
                raise ModelError(f"{node.name}.{f.name} has {f.size} components, not {len(given)}.")
            target = configuration if number < len(space.storage_fields) else velocity
            target[f.offset : f.offset + f.size] = given
        used = [*configuration, *velocity]
        self._without_multipliers(f"Dependent node '{node.name}'", used)
        own = [*node.value.components, *node.velocity.components]
        if depends_on(self.program, used, {*own, *self._accelerations}):
            raise ModelError(
                f"Dependent node '{node.name}' must be an expression of other nodes and of their velocities alone."
            )
        self._check_smooth(f"The configuration of node '{node.name}'", configuration, 2)
        self._check_smooth(f"The velocity of node '{node.name}'", velocity, 1)
        self.locations.append(Location(self.nodes.index(node), tuple(configuration), tuple(velocity)))

    def _own_space(self, node: Node) -> HomogeneousSpace:
        space = self._own(node).group
        if not isinstance(space, HomogeneousSpace):
            raise ModelError(
                f"Node '{node.name}' on {space} has a velocity and moves by energies and forces. To define a field, "
                "put the node on a homogeneous space, such as translation_space(group)."
            )
        return space

    def _joined(
        self, node: Node, vector: object | None, parts: dict[str, object], fields: Sequence[Field], size: int, what: str
    ) -> tuple[Expr, ...]:
        """Return all components from a vector or from parts by name."""
        if (vector is None) == (not parts):
            raise ModelError(f"The {what} of node '{node.name}' needs all components, or parts by name.")
        if vector is not None:
            given = list(components(vector))
            if len(given) != size:
                raise ModelError(f"The {what} of node '{node.name}' needs {size} components, not {len(given)}.")
            return tuple(given)
        result: list[Expr] = [Integer(0)] * size
        known = {f.name: f for f in fields}
        for name, value in parts.items():
            if name not in known:
                raise ModelError(f"The {what} of node '{node.name}' has no part '{name}'; it has: {', '.join(known)}.")
            f, given = known[name], list(components(value))
            if len(given) != f.size:
                raise ModelError(f"The {what} of {node.name}.{name} needs {f.size} components, not {len(given)}.")
            result[f.offset : f.offset + f.size] = given
        return tuple(result)
