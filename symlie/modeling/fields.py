"""Motion of points of homogeneous spaces by algebra-valued fields, vector fields or Hamiltonians; dependent nodes."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer

from symlie.errors import ModelError
from symlie.groups.group import Field
from symlie.groups.homogeneous import HomogeneousSpace, algebra_map
from symlie.ir.differentiate import forward, reverse
from symlie.ir.program import Euclidean, Value, depends_on
from symlie.modeling.angles import AngleStatement
from symlie.modeling.expressions import components
from symlie.modeling.node import Node, column
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.modeling.terms import DependentNode
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

    def dependent(self, node: Node, **fields: object) -> None:
        """Define a node as dependent, q_d = F(t, q), by the fields of its configuration and of its velocity.

        The node is not an unknown. Its acceleration follows from its mass and the forces on it, as
        `acceleration_constraint` requires. Dependent nodes are sorted topologically: each is evaluated after the nodes
        that it depends on, in any order of statements and elements.

        Parameters
        ----------
        node
            A node with a velocity.
        **fields
            All fields of its configuration, such as ``R=…, x=…`` of SE3: expressions of the time and of other nodes.
            All fields of its velocity, such as ``Omega=…, U=…``, or none: the velocity is then the rate of the
            configuration, which must not depend on accelerations. Specified velocities must be consistent with the
            configuration; this is not checked.

        Raises
        ------
        ModelError
            If a field is missing or has another size, if an expression depends on the node itself, on accelerations or
            on multipliers, or if the node is already dependent.
        """
        space = self._own(node).group
        stored, moving = space.storage_fields, space.velocity_fields
        if any(self.nodes[d.place] is node for d in self.dependents):
            raise ModelError(f"Node '{node.name}' is already dependent.")
        if not space.velocity_dimension:
            raise ModelError(f"Node '{node.name}' on {space} moves by its field; it cannot be a dependent node.")
        if set(fields) not in ({f.name for f in stored}, {f.name for f in (*stored, *moving)}):
            raise ModelError(
                f"Dependent node '{node.name}' on {space} needs {', '.join(f.name for f in stored)}, and either all or "
                f"none of {', '.join(f.name for f in moving)}, not {', '.join(fields) or 'nothing'}."
            )

        def joined(parts: Sequence[Field], size: int, what: str) -> tuple[Expr, ...]:
            return self._joined(node, None, {f.name: fields[f.name] for f in parts}, parts, size, what)

        configuration = joined(stored, space.storage_dimension, "configuration")
        velocity = joined(moving, space.velocity_dimension, "velocity") if len(fields) > len(stored) else None
        used, own = [*configuration, *(velocity or ())], [*node.value.components, *node.velocity.components]
        self._without_multipliers(f"Dependent node '{node.name}'", used)
        if any(
            depends_on(self.program, part, symbols)
            for part, symbols in ((configuration, self._velocities), (used, {*own, *self._accelerations}))
        ):
            raise ModelError(
                f"Dependent node '{node.name}' must be an expression of t and of other nodes, and its velocity of them "
                "and of their velocities."
            )
        self._check_smooth(f"The configuration of node '{node.name}'", configuration, 2)
        self._check_smooth(f"The velocity of node '{node.name}'", velocity or (), 1)
        self.dependents.append(DependentNode(self.nodes.index(node), configuration, velocity))

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
