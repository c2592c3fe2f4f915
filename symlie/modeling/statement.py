"""Definition of energies, forces, constraints and outputs on nodes."""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from symlie.errors import ModelError, UnknownNameError
from symlie.groups.group import Field
from symlie.groups.rotation_parameters import parametrised_rotation
from symlie.ir.differentiate import forward, reverse
from symlie.ir.program import depends_on
from symlie.modeling.contacts.contact import state_contact
from symlie.modeling.contacts.friction import reaction_of, state_friction
from symlie.modeling.expressions import components
from symlie.modeling.names import new_name
from symlie.modeling.node import Node, column
from symlie.modeling.switching import SwitchStatement
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.modeling.terms import DIRECTIONS, OUTPUTS_OF_EVERY_MODEL, Constraint, Event, Output
from symlie.modeling.units import size_of
from symlie.options import Direction
from symlie.utilities.unit_names import UNITS, parse_units


class Statement(SwitchStatement):
    """Energies, forces, fields, constraints and outputs on nodes; the base of models and element types."""

    def kinetic_energy(self, energy: object) -> None:
        """Add a kinetic energy T(t, q, v), in J.

        Parameters
        ----------
        energy
            A polynomial of degree two in the velocities: terms linear in v describe gyrostats, terms without v moving
            coordinates.
        """
        energy = self._scalar("kinetic energy", energy)
        self._check_smooth("The kinetic energy", [energy], 1)
        self._without_points("The kinetic energy", [energy])
        self._without_angles("The kinetic energy", [energy])
        self.units.check("The kinetic energy", energy, UNITS["J"])
        self.kinetic_terms.append(energy)

    def potential_energy(self, energy: object) -> None:
        """Add a potential energy V(t, q), in J.

        Parameters
        ----------
        energy
            Scalar expression of the time and configurations.
        """
        energy = self._scalar("potential energy", energy)
        if depends_on(self.program, [energy], self._velocities):
            raise ModelError(f"A potential energy of '{self.name}' depends on velocities; use dissipation or force.")
        self.units.check("The potential energy", energy, UNITS["J"])
        self.potential_terms.append(energy)

    def dissipation(self, function: object) -> None:
        """Add a Rayleigh dissipation function D(t, q, v), in W, with the generalised force -∂D/∂v.

        Parameters
        ----------
        function
            Scalar expression of the time, configurations and velocities.
        """
        function = self._scalar("dissipation function", function)
        self.units.check("The dissipation function", function, UNITS["W"])
        self.dissipated_terms.append(function)

    def generalized_force(self, node: Node, vector: object | None = None, **fields: object) -> None:
        """Add a generalised force with the power force·v on a node.

        Parameters
        ----------
        node
            The node.
        vector
            All components, in the order of ``node.v``; or instead
        **fields
            Parts by velocity field, such as ``Omega=torque`` (body axes) or ``U=force``.
        """
        if self._own(node).group.velocity_dimension == 0:
            raise ModelError(
                f"Node '{node.name}' on {node.group} has no velocity on which a force could act; define its motion "
                "with field(...)."
            )
        if vector is not None:
            parts = list(components(vector))
        else:
            parts = [Integer(0)] * node.group.velocity_dimension
            known = {f.name: f for f in node.group.velocity_fields}
            turned = parametrised_rotation(node.group)
            for name, value in fields.items():
                given = components(value)
                if turned is not None and name == "Omega":
                    field = Field(name, turned.part.start, (3,))
                elif name in known:
                    field = known[name]
                else:
                    raise ModelError(
                        f"Node '{node.name}' on {node.group} has no velocity '{name}'; it has: {', '.join(known)}."
                    )
                if len(given) != field.size:
                    raise ModelError(
                        f"The force on {node.name}.{name} needs {field.size} components, not {len(given)}."
                    )
                along = given if name in known else node.generalized_moment(given)
                for k, part in enumerate(along, start=field.offset):
                    parts[k] += part
        if len(parts) != node.group.velocity_dimension:
            raise ModelError(
                f"The force on node '{node.name}' needs {node.group.velocity_dimension} components, not {len(parts)}."
            )
        self._without_multipliers(f"The force on node '{node.name}'", parts)
        for velocity, part in zip(node.velocity.components, parts, strict=True):
            self.units.check_product(f"The force on node '{node.name}'", part, velocity, UNITS["W"])
        self.generalized_forces.append((node, tuple(parts)))

    def force(self, force: object, at: object) -> None:
        """Add a force along an expression of the configuration, with the power force·d(at)/dt.

        Parameters
        ----------
        force
            Force vector, which may depend on t, q and v; in inertial axes, in N, if ``at`` is the position of a point.
        at
            Expression of (t, q) with as many components: a position such as ``q.x + q.R * offset``, or a strain, to
            which the force is the conjugate stress.
        """
        vector, position = components(force), components(at)
        if len(vector) != len(position):
            raise ModelError(f"A force with {len(vector)} components needs a point with as many, not {len(position)}.")
        if depends_on(self.program, position, self._velocities):
            raise ModelError(
                f"In '{self.name}', the point of a force depends on velocities; it must be a function of t and q."
            )
        self._without_multipliers("A force", [*vector, *position])
        for component, along in zip(vector, position, strict=True):
            self.units.check_product("A force", component, along, UNITS["J"])
        self.applied_forces += zip(position, self.program.vector(vector), strict=True)

    def torque(self, torque: object, on: Node) -> None:
        """Add a torque on a rotating node, in N m: 3 components in inertial axes, or 1 in the plane.

        Parameters
        ----------
        torque
            The components, in N m.
        on
            The node.
        """
        fields = self._own(on).group.velocity_fields
        sizes = {f.name: f.size for f in fields if f.name.startswith("Omega")}
        names = list(sizes if parametrised_rotation(on.group) is None else {"Omega": 3})
        if len(names) != 1:
            raise ModelError(f"A torque needs a node with one angular velocity; '{on.name}' is on {on.group}.")
        vector = components(torque)
        size = sizes.get(names[0], 3)
        if len(vector) != size:
            needed = "1 component" if size == 1 else f"{size} components"
            raise ModelError(f"The torque on '{on.name}' needs {needed}, not {len(vector)}.")
        self.generalized_force(on, **{names[0]: on.R.T * column(vector) if size > 1 else column(vector)})

    def constraint(self, name: str, rows: object) -> SymbolicMatrix:
        """Add holonomic constraints Φ(t, q) = 0.

        Parameters
        ----------
        name
            Identifier of the constraints and of their multipliers.
        rows
            Scalar or vector expression of the time and configurations.

        Returns
        -------
        SymbolicMatrix
            The column of the multipliers λ of Bᵀλ, for outputs and events; see also `constraint_force`.
        """
        given = components(rows)
        if depends_on(self.program, given, self._velocities):
            raise ModelError(
                f"Constraint '{name}' depends on velocities; it must be a function of t and q, or be defined with "
                "nonholonomic_constraint."
            )
        return self._add_constraint(name, given, level=0)

    def nonholonomic_constraint(self, name: str, rows: object) -> SymbolicMatrix:
        """Add nonholonomic constraints ψ(t, q, v) = 0, such as rolling; return multipliers like `constraint`.

        Their force is -Bᵀλ with B = ∂ψ/∂v, after Chetaev. They may be nonlinear in the velocities, such as a constant
        speed; initial velocities must then be close to the constraint, because B depends on them.

        Parameters
        ----------
        name
            Identifier.
        rows
            Expressions of the time, configurations and velocities.

        Notes
        -----
        Source: [Chetaev1932].
        """
        given, is_affine = components(rows), True
        for i, row in enumerate(given):
            self.units.of(row)
            gradient = reverse(self.program, [(row, Integer(1))], [n.velocity for n in self.nodes])
            entries = [c for part in gradient for c in part]
            if all(e == 0 for e in entries):
                raise ModelError(
                    f"Equation {i + 1} of constraint '{name}' does not depend on velocities; use constraint."
                )
            is_affine = is_affine and not depends_on(self.program, entries, self._velocities)
        return self._add_constraint(name, given, level=1, is_affine=is_affine)

    def acceleration_constraint(self, name: str, rows: object) -> SymbolicMatrix:
        """Add acceleration-level constraints B(t, q, v) v' + Z(t, q, v) = 0 on ``node.v_dot``.

        The multipliers are returned as in `constraint`. The first integrals of these constraints are not stabilised, so
        they suit dependent nodes (`dependent`). Integration methods satisfy them in each stage.

        Parameters
        ----------
        name
            Identifier.
        rows
            Expressions that are affine in the accelerations, with coefficients that may depend on t, all q and v.
        """
        given, is_affine = components(rows), True
        for i, row in enumerate(given):
            self.units.of(row)
            gradient = reverse(self.program, [(row, Integer(1))], [n.acceleration for n in self.moving_nodes])
            entries = [c for part in gradient for c in part]
            if all(e == 0 for e in entries):
                raise ModelError(f"Equation {i + 1} of constraint '{name}' does not depend on accelerations.")
            if depends_on(self.program, entries, self._accelerations):
                raise ModelError(
                    f"Equation {i + 1} of constraint '{name}' must be B(t, q, v) v' + Z(t, q, v), affine in the "
                    "accelerations."
                )
            is_affine = is_affine and not depends_on(self.program, entries, self._velocities)
        return self._add_constraint(name, given, level=2, is_affine=is_affine)

    def _add_constraint(
        self, name: str, rows: tuple[Expr, ...], *, level: int, is_affine: bool = True, balances: tuple[Expr, ...] = ()
    ) -> SymbolicMatrix:
        new_name("Constraint", name, {c.name for c in self.constraints}, self.name)
        if not rows:
            raise ModelError(f"Constraint '{name}' of '{self.name}' has no equations.")
        if self._forces_of_all is not None:
            raise ModelError(
                f"Constraint '{name}' is defined after constraint_force of all constraints on node "
                f"'{self._forces_of_all}'; define all constraints first, or name the constraints of the force."
            )
        self._without_multipliers(f"Constraint '{name}'", rows)
        if level < 2:
            self._without_points(f"Constraint '{name}'", rows)
        self._check_smooth(f"Constraint '{name}'", rows, 2 - level)
        for row in rows if level == 0 else ():
            self.units.of(row)
        self.units.skip()
        multipliers = tuple(Symbol(f"lambda[{name},{k}]", real=True) for k in range(len(rows)))
        self.constraints.append(Constraint(name, rows, multipliers, level, is_affine, balances))
        self._multipliers |= set(multipliers)
        return column(multipliers)

    def contact(
        self, name: str, gap: object, *, slip: object | None = None, friction: object = 0, restitution: object = 0
    ) -> None:
        """Add a unilateral contact with gap g(t, q) ≥ 0, impacts and Coulomb friction; in an element type, for every
        instance.

        The normal force F acts along the gradient of the gap and pushes: 0 ≤ g ⊥ F ≥ 0. An impact reverses the
        velocity of the gap, g'⁺ = -e g'⁻; impacts at the same time are one problem (Newton's law). Impacts that
        accumulate end with a contact at rest. While a contact slides, its friction force is μ F against the slip
        velocity; while it sticks, the slip velocity is zero and the friction force at most μ F. The outputs NAME_gap,
        NAME_normal (F), NAME_friction, NAME_dissipation (power that friction dissipates) and NAME_state (0 open, 1
        closed or sliding, 2 sticking) and the events NAME_touch, NAME_lift, NAME_stick and NAME_slip describe the
        contact.

        Parameters
        ----------
        name
            Identifier.
        gap
            Scalar expression of the time and configurations, positive while the contact is open, in m or rad.
        slip
            One or two components of the relative velocity of the material points in contact, in the tangent plane;
            expressions of t, q and v that are linear in v. Default: no friction.
        friction
            Friction coefficient μ ≥ 0, a number or an expression of parameters.
        restitution
            Coefficient of restitution e from 0 to 1, a number or an expression of parameters.

        Raises
        ------
        ModelError
            If the gap is not a scalar, does not depend on the configuration or is never negative, if the slip has more
            than two components or does not depend on velocities, if friction has no slip, or if a number is out of
            range.

        Notes
        -----
        Source: [Moreau1988].
        """
        new_name("Contact", name, {c.name for c in self.contacts}, self.name)
        state_contact(self, name, gap, slip, friction, restitution)

    def friction(
        self, constraint: str, coefficient: object = 0, *, slip: object | None = None, limit: object = 0
    ) -> None:
        """Add Coulomb friction in a constraint, or up to a given force; in an element type, for every instance.

        The friction force is at most L + μ |F| with the limit L and the reaction F of the constraint, the norm of its
        one to three multipliers. While friction slides, the force has this size and acts against the slip velocity;
        while it sticks, the slip velocity is zero. |F| is a force if the equations of the constraint are lengths: of a
        distance √(x·x) - r, not of x·x - r². The outputs NAME_friction (the force along the slip velocities),
        NAME_dissipation (the power that it dissipates) and NAME_state (1 sliding, 2 sticking) and the events
        NAME_stick, NAME_slip and, for one multiplier, NAME_turn (its sign changes) describe the friction; NAME is the
        name of the constraint.

        Parameters
        ----------
        constraint
            Name of a constraint of this statement; without coefficient, any identifier.
        coefficient
            Friction coefficient μ ≥ 0, a number or an expression of parameters.
        slip
            One or two components of the relative velocity of the material points in contact, in m/s; expressions of t,
            q and v that are linear in v. With a limit, one rate, such as an angular velocity in rad/s.
        limit
            Limit L ≥ 0 of the friction that does not depend on a reaction, conjugate to the slip velocity, in N or N m:
            a number or an expression of the time, configurations and parameters.

        Raises
        ------
        UnknownNameError
            If a coefficient is given and the constraint does not exist.
        ModelError
            If the constraint has more than three equations, if the slip has more than two components or does not
            depend on velocities, or if a number is negative.

        Notes
        -----
        Source: [Moreau1988].
        """
        if not isinstance(constraint, str):
            raise ModelError(f"Friction in '{self.name}' needs the name of a constraint, not {constraint!r}.")
        if slip is None:
            raise ModelError(f"Friction '{constraint}' of '{self.name}' needs a slip velocity; state slip=….")
        reaction = () if components(coefficient) == (0,) else reaction_of(self, constraint)
        state_friction(self, constraint, coefficient, limit, slip, reaction)

    def constraint_force(self, node: Node, *constraints: str) -> SymbolicMatrix:
        """Return the generalised force of constraints on a node, its part of -Bᵀλ, for outputs and events.

        Its power is force·v; on groups with body-fixed velocities it is in body axes. On SE3, for example,
        ``q.R * force[3:, :]`` is the reaction force in inertial axes.

        Parameters
        ----------
        node
            The node.
        *constraints
            Names of the constraints; default: all of this statement.

        Returns
        -------
        SymbolicMatrix
            Column of the dimension of the node, in the order of ``node.v``.
        """
        known = {c.name: c for c in self.constraints}
        unknown = [name for name in constraints if name not in known]
        if unknown:
            raise UnknownNameError(
                f"'{self.name}' has no constraint '{unknown[0]}'; it has: {', '.join(known) or 'none'}."
            )
        self._own(node)
        if not constraints:
            self._forces_of_all = node.name
        total = [Integer(0)] * node.group.velocity_dimension
        for level, varied in ((0, node.value), (1, node.velocity), (2, node.acceleration)):
            chosen = [known[name] for name in constraints or known if known[name].level == level]
            weighted = [(r, -m) for c in chosen for r, m in zip(c.rows, c.multipliers, strict=True)]
            total = [a + b for a, b in zip(total, reverse(self.program, weighted, [varied])[0], strict=True)]
        self.units.skip()
        return column(total)

    def event(self, name: str, expression: object, direction: Direction = "any", terminal: bool | None = None) -> None:
        """Detect zeros of a scalar of (t, q, v, λ) along a solution; in an element type, for every instance.

        An event occurs when the function reaches zero; its state is a state of the method immediately after the zero.
        Each step is searched: the function is sampled on subintervals, down to 1/64 of the step, on which polynomials
        of degree five resolve it. All zeros are found if the function reverses direction at most once in such a
        subinterval. The decision that a function is resolved uses samples, so a few in a million unresolved
        oscillations appear resolved. Steps of the method decide whether the sign changes, and whether the function
        approaches zero without crossing it. A jump across zero is an event, a pole is not. A function that only touches
        zero, within 1e-12 of its largest value in the step, has an event there; of two zeros closer together than this,
        one is found. A function that becomes NaN stops the integration with an error.

        A function may be zero at the start of a run. With ``"rising"`` or ``"falling"`` an event occurs as soon as it
        leaves zero in this direction, at the start or, if it stays zero for a while, later; no event occurs if it
        leaves in the other direction. With ``"any"`` no event occurs, because the side from which zero was reached is
        unknown. A run that continues another one with ``start=`` does not repeat the event that ended the other run.

        Parameters
        ----------
        name
            Identifier.
        expression
            The scalar.
        direction
            Direction of the sign change: ``"rising"`` from negative values, ``"falling"`` from positive ones, or
            ``"any"``.
        terminal
            If true, the event ends the integration; if several occur in one step, the first in time does. Default: true
            for events without `reset`, `Model.release` or `Model.engage`, after which a run continues.
        """
        new_name("Event", name, {e.name for e in self.events}, self.name)
        if direction not in DIRECTIONS:
            raise ModelError(f"The direction of event '{name}' must be {', '.join(DIRECTIONS)}, not {direction!r}.")
        parts = components(expression)
        if len(parts) != 1:
            raise ModelError(f"Event '{name}' of '{self.name}' must be a scalar, but has {len(parts)} components.")
        self.units.of(parts[0])
        self.events.append(Event(name, parts[0], direction, None if terminal is None else bool(terminal)))

    def output(self, name: str, expression: object, unit: str = "", *, total: bool = False) -> None:
        """Add a named output of (t, q, v, λ), evaluated along a solution.

        Parameters
        ----------
        name
            Identifier.
        expression
            Scalar, vector or matrix expression of the time, configurations, velocities and multipliers.
        unit
            Unit of the output in solutions, such as ``"m"``, ``"mm"`` or ``"deg"``, see `unit`; the expression is in SI
            units.
        total
            If true, several statements of a model may define the output, which is their sum, such as a total momentum.
        """
        new_name("Output", name, {o.name for o in self.outputs}, self.name)
        if name in OUTPUTS_OF_EVERY_MODEL:
            raise ModelError(f"Output '{name}' exists already; every model has energy and the residuals.")
        parts = components(expression)
        if not parts:
            raise ModelError(f"Output '{name}' of '{self.name}' has no components.")
        units = parse_units(unit, len(parts))
        for part, known in zip(parts, units, strict=True):
            if known is None:
                self.units.of(part)
            else:
                self.units.check(f"Output '{name}'", part, known.dimension)
        given = tuple(part / size_of(u) for part, u in zip(parts, units, strict=True))
        self.outputs.append(Output(name, given, unit))
        if total:
            self.totals.add(name)

    def rate(self, expression: object) -> Expression:
        """Return the time derivative of an expression of (t, q) along the flow q' = v.

        Parameters
        ----------
        expression
            Scalar, vector or matrix expression of the time and configurations.

        Returns
        -------
        Expr or SymbolicMatrix
            Derivative, in the shape of the expression.
        """
        parts = components(expression)
        self._without_multipliers("The expression of a rate", parts)
        advice = "; give its rates, as in model.rate_along(expression, node, rates)"
        self._without_points("The expression of a rate", parts, advice)
        if depends_on(self.program, parts, self._velocities):
            raise ModelError(
                f"In '{self.name}', the expression of a rate depends on velocities; it must be a function of t and q."
            )
        rates = forward(self.program, parts, self.motion())
        bound = self.program.vector(rates, "rate")
        self.units.declare_rates(bound, parts)
        if hasattr(expression, "shape"):
            return SymbolicMatrix(*expression.shape, list(bound))
        return bound[0] if len(bound) == 1 else column(bound)
