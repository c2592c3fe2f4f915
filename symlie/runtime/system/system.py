"""Systems: generated code, layout, parameter values and initial values, ready for integration."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.options import ExportKind, ExportPlatform, ExportReal, ExportStates, ExportTarget, Stabilization
from symlie.runtime.kernels.matrices import SystemMatrices
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.checks import check_numbers, checked_configuration
from symlie.runtime.system.completion import InitialState, StatedState, consistent_initial_state
from symlie.runtime.system.evaluations import Evaluations
from symlie.runtime.system.given_coordinates import with_coordinates, without_node
from symlie.runtime.system.initial_values import (
    changed_initial_values,
    conditions_of,
    field_rows,
    initial_fields,
    is_joint_rate,
    of_nodes,
    own_initial,
)
from symlie.runtime.system.mechanics import Mechanics
from symlie.runtime.system.ordinary_start import ordinary_start
from symlie.runtime.system.parameters import numbers
from symlie.runtime.system.state_rates import given_rates
from symlie.runtime.system.summaries import system_html, system_line
from symlie.runtime.system.values import SystemValues

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symlie.runtime.integrate.simulation.sampled import Sampled
    from symlie.runtime.integrate.simulation.simulator import Simulator
    from symlie.runtime.methods.chosen import MethodLike
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.statics.assembly.initial_assembly import Assembly
    from symlie.runtime.statics.equilibrium import Equilibrium
    from symlie.runtime.statics.equilibrium_path import EquilibriumPath
    from symlie.runtime.statics.linearization import Linearization
    from symlie.runtime.statics.mobility import Mobility
    from symlie.runtime.statics.monodromy import Monodromy


@dataclass(frozen=True, eq=False, repr=False)
class System(SystemValues, Evaluations):
    """Compiled model with values of parameters, inputs and initial values, from `Equations.compile` or `load`.

    A system is immutable; `with_parameters`, `with_initial`, `with_state` and `with_input` return changed copies
    without derivation or compilation. A pickle of a system contains its generated code, which unpickling runs.
    """

    assembly: Assembly | None = None
    """Changes of the initial values by `assembled`; None for other systems."""

    @property
    def _system(self) -> System:
        return self

    def __repr__(self) -> str:
        return system_line(self)

    def _repr_html_(self) -> str:
        return system_html(self)

    def __reduce__(self) -> tuple[Callable[..., System], tuple[object, ...]]:
        from symlie.runtime.system.pickling import pickled_system

        return pickled_system(self)

    def with_initial(self, node: str, /, **fields: object) -> System:
        """Return a copy with other initial values of a node or a joint.

        Examples are ``with_initial("top", Omega=[0, 1, 0])`` and ``with_initial("pivot", angle=0.3, rate=1)``; the
        coordinates of a joint determine the poses of all outboard bodies, as in `Model.initial`. A quantity of
        `NodeArray.initial_quantity` can replace the field that the model computes from it, with the parameters of the
        run.

        Parameters
        ----------
        node
            Name of a node, a node array or a joint.
        **fields
            Values by name of a field of the configuration or velocity, of a quantity, or of a coordinate or rate of the
            joint. Node arrays have one row of components per node, or one for all nodes. A field that stores a rotation
            accepts a `Rotation`; ``rotation`` is an alias of this field.

        Raises
        ------
        UnknownNameError
            If the node, field or quantity does not exist.
        ModelError
            If a value has the wrong number of components or is not finite, or if a field is specified twice, also by a
            quantity.
        """
        rates = {name: value for name, value in fields.items() if is_joint_rate(self.layout, (node, name))}
        if rates:
            sizes = {name: self.layout.outputs[self.layout.joint_rates[node, name]][0] for name in rates}
            given = {
                (node, name): numbers(f"initial {name} of {node}", value, sizes[name].stop - sizes[name].start)
                for name, value in rates.items()
            }
            system = dataclasses.replace(self, initial_values={**self.initial_values, **given})
            others = {name: value for name, value in fields.items() if name not in rates}
            return system.with_initial(node, **others) if others else system
        placements = self.joint_source() if self.joint_source is not None and node in self.layout.joints else {}
        if node in placements:
            changed = placements[node](self.initial_fields, fields)
            coordinates = with_coordinates(self, node, list(fields))
        else:
            changed = changed_initial_values(self.layout, self.quantity_source, self.initial_values, node, fields)
            coordinates = without_node(self, node)
        return dataclasses.replace(self, initial_values=changed, given_coordinates=coordinates)

    def with_state(self, solution: Solution, t: float | None = None, *, nodes: Sequence[str] | None = None) -> System:
        """Return a copy with a state of a solution, possibly of another model, as its initial values.

        Configurations and velocities, and first-order states, are copied between nodes with equal names. They replace
        the specified initial values of these nodes and the specified rates of joints. Unlike ``solve(start=…)``, a run
        starts with a new method history, new counts of full turns, and unwrapped angles near the initial values of
        `Model.unwrapped_angle`. If constraints differ, or the solution has drifted from them, `assembled` makes the
        values consistent by the smallest change.

        Parameters
        ----------
        solution
            A solution of this or of another model, for example with other parameters or forces.
        t
            Time of the state, in s, within the solution; default: its last state.
        nodes
            Names of nodes and node arrays to copy; default: all except fixed and dependent ones. The other nodes retain
            their initial values.

        Raises
        ------
        UnknownNameError
            If this system does not have one of the nodes.
        ModelError
            If the solution has no states, does not have one of the nodes, or has it on another group or with another
            count (the message lists all such nodes), or if it cannot be evaluated at ``t``.
        """
        from symlie.runtime.solution.state_transfer import with_state

        return with_state(self, solution, t, nodes)

    @cached_property
    def mechanics(self) -> Mechanics:
        """Equations of motion of the system as functions of (t, q, v)."""
        return Mechanics(self)

    @property
    def newton_matrices(self) -> SystemMatrices:
        """Function that evaluates the Newton matrices K, C and H, derived and compiled on first use."""
        return self.sets.matrices("newton")

    @cached_property
    def initial_state(self) -> InitialState:
        """Consistent initial values at t = 0: specified values, completed velocities and computed multipliers.

        Raises
        ------
        InconsistentInitialValuesError
            If the configuration violates a constraint, or the velocities cannot be completed.
        RedundantConstraintsError, SingularMassMatrixError
            If accelerations and multipliers are not determined.
        ModelError
            If a value is not finite, or a configuration is not an element of its group.
        """
        if (found := self.ordinary_start) is not None:
            return found
        return self.consistent_state(0.0)

    @cached_property
    def ordinary_start(self) -> InitialState | None:
        """Consistent state at t = 0 if a quick check suffices, else None."""
        return ordinary_start(self)

    def consistent_state(self, t: float, *, steps_contacts: bool = False) -> InitialState:
        """Return consistent initial values at a time; see `initial_state`.

        Parameters
        ----------
        t
            Time, in s, at which loads, constraints and prescribed nodes are evaluated.
        steps_contacts
            True if contacts are open at the start, since the first step contains their impacts.

        Raises
        ------
        InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError, ModelError
            As for `initial_state`.
        """
        stated = self.stated_state()
        if self.branch_check is not None and self.initial_values:
            self.branch_check(self.initial_fields)
        self.check_motions(t)
        return consistent_initial_state(self.mechanics, t, stated, steps_contacts=steps_contacts)

    @cached_property
    def initial_fields(self) -> Mapping[tuple[str, str], Array]:
        """Specified initial values by node and field, with quantities replaced by the fields computed from them."""
        return initial_fields(self)

    def stated_state(self) -> StatedState:
        """Return the specified initial values, normalised onto the groups but not checked against the constraints.

        Raises
        ------
        ModelError
            If a value is not finite, or a configuration is not an element of its group.
        """
        return self._stated

    @cached_property
    def _stated(self) -> StatedState:
        q, v, given = self.stated_values()
        check_numbers(self.layout, self.parameters, self.element_parameters, q, v)
        q = checked_configuration(self.layout, self.kernels, q, "initial configuration")
        return StatedState(q, v, given, conditions_of(self), given_rates(self.layout, self.initial_fields))

    def stated_values(self) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return q and v of all nodes, unchecked, and a mask of the specified velocity components; others are
        guesses."""
        q, v = self.own_initial()
        given = np.concatenate([n.velocity_given for n in self.layout.nodes])
        for (name, label), value in of_nodes(self.layout, self.initial_fields).items():
            node = self.layout.node(name)
            field_rows(node, label, q, v)[:] = value
            field_rows(node, label, np.zeros(len(q), dtype=bool), given)[:] = True
        return q, v, given

    def static_equilibrium(
        self,
        t: float = 0.0,
        *,
        tolerance: float = 1e-9,
        load_steps: int = 1,
        stable: bool = True,
        max_iterations: int = 1000,
        start: Equilibrium | None = None,
    ) -> Equilibrium:
        """Compute the static equilibrium g(t, q, 0) + Bᵀ λ = 0, Φ(t, q) = 0 reached from the initial configuration.

        Source: [Deuflhard2004], section 3.3; [Conn2000], chapter 6.

        Parameters
        ----------
        t
            Time at which loads, constraints and prescribed nodes are evaluated, in s.
        tolerance
            Largest component of the last Newton correction: angles in rad, others relative to the size of the system.
        load_steps
            Number of steps in which the unbalanced forces of the initial configuration are released; 1 releases them at
            once.
        stable
            True: reject steps that do work against the forces. Otherwise the search may also find a nearby unstable
            equilibrium; `linearize` determines its stability.
        max_iterations
            Largest number of accepted steps per load step.
        start
            Equilibrium of this model from which the search starts, for example under other loads; default: the initial
            configuration.

        Returns
        -------
        Equilibrium
            The named tuple (q, multipliers, iterations). Nonholonomic constraints bear no load. Unbalanced forces at
            the level of rounding are ignored, so that bodies without loads rest.

        Raises
        ------
        EquilibriumError
            If no equilibrium is found; the exception contains the largest unbalanced force and the equilibrium of the
            last successful load step.
        RedundantConstraintsError
            If constraint equations are redundant.
        ModelError
            If an argument is invalid, or the model has first-order states.
        """
        from symlie.runtime.statics.equilibrium import static_equilibrium

        return static_equilibrium(
            self,
            t,
            tolerance=tolerance,
            load_steps=load_steps,
            stable=stable,
            max_iterations=max_iterations,
            start=start,
        )

    def equilibrium_path(
        self,
        parameter: str,
        until: float,
        *,
        t: float = 0.0,
        start: Equilibrium | None = None,
        first_step: float = 0.02,
        largest_step: float = 0.1,
        max_points: int = 200,
        tolerance: float = 1e-9,
    ) -> EquilibriumPath:
        """Follow a path of equilibria over a parameter, through limit points and past bifurcation points.

        Source: [Riks1979]; [Deuflhard2004], section 5.2.

        Parameters
        ----------
        parameter
            Name of a scalar parameter or input of the model, or ``"t"`` for the time of loads, constraints and
            prescribed nodes. The path starts at the value of this system.
        until
            Value of the parameter at which the path ends.
        t
            Time at which loads, constraints and prescribed nodes are evaluated, in s; the first value of ``"t"``.
        start
            Equilibrium at the first value; default: the result of `static_equilibrium`.
        first_step, largest_step
            Arc length of the first step, and upper limit, dimensionless. The square of the arc length is the mean
            square of the displacements (relative to the size of the system) and rotations (in rad), plus the square of
            the change of the parameter (relative to its range).
        max_points
            Largest number of points; a warning reports that the path ends before ``until``.
        tolerance
            As in `static_equilibrium`.

        Returns
        -------
        EquilibriumPath
            Equilibria with outputs and stability, limit points and bifurcation points.

        Raises
        ------
        EquilibriumError
            If no equilibrium is found at the first value.
        EquilibriumPathError
            If the first equilibrium is a critical point, or the path cannot be continued; the exception contains the
            path so far.
        UnknownNameError
            If the parameter or input does not exist.
        ModelError, RedundantConstraintsError, FrozenParameterError
            If an argument is invalid, constraint equations are redundant, or the parameter is a compiled constant.
        """
        from symlie.runtime.statics.equilibrium_path import equilibrium_path

        return equilibrium_path(
            self,
            parameter,
            until,
            t=t,
            start=start,
            first_step=first_step,
            largest_step=largest_step,
            max_points=max_points,
            tolerance=tolerance,
        )

    def linearize(
        self,
        q: Array | None = None,
        multipliers: Array | None = None,
        t: float = 0.0,
        *,
        v: Array | None = None,
        frame: Mapping[str, ArrayLike] | None = None,
        modes: int | None = None,
    ) -> Linearization:
        """Linearise the equations of motion about an equilibrium or a steady motion.

        In a steady motion q∘exp(t v), the velocity v and the matrices of the linear equations are constant. For a body
        that spins about its axis of symmetry, q = p∘exp(t ζ): v and all variations have components in the axes p, which
        do not spin with the body, and p moves as p∘exp(t (v - ζ)). A `SymlieWarning` reports that rounding leaves
        stability undecided.

        Parameters
        ----------
        q
            Configuration, shape (storage,); default: the result of `static_equilibrium`.
        multipliers
            λ at q, shape (constraint equations,); default: the multipliers that balance the forces.
        t
            Time, in s. At rest, loads and constraints are frozen at this time.
        v
            Velocity of a steady motion, shape (dimension,); default: at rest.
        frame
            ζ by name of the node, shape (dimension of its group,), or (count, dimension) for arrays; default: zero.
        modes
            Number of modes, the slowest first; a conjugate pair is one mode. Default: all for at most 240 free velocity
            components, otherwise 12.

        Returns
        -------
        Linearization
            Matrices, eigenvalues and mode shapes.

        Raises
        ------
        EquilibriumError
            If q is not an equilibrium, a massless direction is not constrained, or the modes are not found.
        SteadyMotionError
            If the motion violates the equations or is not steady; the message names the equation or the quantity that
            changes most.
        UnknownNameError
            If a node in ``frame`` does not exist.
        ModelError
            If an argument is invalid, or the system has first-order states, acceleration-level constraints, or rotation
            parameters with angular velocities.
        """
        from symlie.runtime.statics.linearization import linearize

        return linearize(self, q, multipliers, t, v=v, frame=frame, modes=modes)

    def mobility(self, q: Array | None = None, t: float = 0.0) -> Mobility:
        """Determine degrees of freedom, redundant constraints and free motions at a configuration.

        The number of degrees of freedom is the dimension of the unknown velocities minus the rank of the constraint
        equations. Prescribed and fixed nodes have no unknown velocities; dependent nodes have those that the
        acceleration-level constraints of their definition permit, and first-order states have none.

        Source: [Haug1989], chapters 3 and 4.

        Parameters
        ----------
        q
            Configuration, shape (storage,); default: the specified initial configuration, consistent or not.
        t
            Time, in s, at which constraints and prescribed nodes are evaluated.
        """
        from symlie.runtime.statics.mobility import mobility

        return mobility(self, q, t)

    def monodromy(
        self,
        period: float,
        q: Array | None = None,
        v: Array | None = None,
        t: float = 0.0,
        *,
        steps: int = 128,
        method: MethodLike = "half_explicit_5",
        frame: Mapping[str, ArrayLike] | None = None,
    ) -> Monodromy:
        """Compute the Floquet multipliers of a motion that is periodic, or periodic up to a symmetry.

        The result is the exact derivative of the steps; with half_explicit_5, its errors decrease with the fifth power
        of the number of steps. Variations satisfy the constraints. After one period, a motion that is periodic up to a
        symmetry, such as a disk that rolls in circles, must have the same velocity and matrices, which are checked.

        Source: [HairerLubichWanner2006], section VI.4.

        Parameters
        ----------
        period
            T, in s.
        q, v
            State of the motion, shape (storage,) and (dimension,): both, or neither for the initial state.
        t
            Time of the state, in s.
        steps
            Number of equal steps.
        method
            Method with fixed steps that `sensitivity` can differentiate.
        frame
            ζ by name of the node, as in `linearize`, for bodies that are symmetric under the rotation exp(T ζ) from the
            right.

        Returns
        -------
        Monodromy
            Monodromy matrix and Floquet multipliers.

        Raises
        ------
        PeriodicMotionError
            If the motion is not periodic; the message names the quantity that changes most.
        UnknownNameError
            If a node in ``frame`` does not exist.
        ModelError
            If an argument is invalid, the state violates the constraints, or the system has first-order states,
            acceleration-level constraints, constraints that are nonlinear in the velocities, or rotation parameters
            with angular velocities.
        EquilibriumError
            If a massless direction is not constrained.
        RedundantConstraintsError
            If constraint equations are redundant.
        IntegrationError
            If a step fails.
        """
        from symlie.runtime.statics.monodromy import monodromy

        return monodromy(self, period, q, v, t, steps, method, frame or {})

    def assembled(
        self,
        t: float = 0.0,
        *,
        velocities: bool = True,
        targets: Mapping[str, object] | None = None,
        limits: Mapping[str, tuple[float, float]] | None = None,
    ) -> System:
        """Return a copy with consistent initial values, by the smallest change of the specified ones.

        The change is measured with the mass matrix, so that it does not depend on units. Specified coordinates of
        joints do not change. Specified velocities change only if the unspecified ones cannot satisfy the constraints
        without large values; velocities that are not determined have the least kinetic energy. If the change is large
        compared with the radius of curvature of the constraints, another consistent configuration may be nearer.

        With ``targets``, the configuration also gives outputs the specified values (inverse kinematics), by damped
        Newton steps on the group; specified coordinates of joints are then start values.

        Source: [Deuflhard2004], section 4.4.

        Parameters
        ----------
        t
            Initial time, in s.
        velocities
            True: change specified velocities that contradict the constraints, by as little as possible. Unspecified
            velocities are completed in any case.
        targets
            Values of outputs of the configuration, by name: numbers in the unit of the output, or rotations for outputs
            that are rotation matrices, such as ``{"tip": [0.4, 0, 0.3], "tip_R": sl.rotation(…)}``.
        limits
            Lower and upper values of scalar outputs, such as coordinates of joints, by name. A limit that the nearest
            configuration passes is reached exactly.

        Returns
        -------
        System
            Its ``assembly`` reports the changes of configurations and velocities, the completed velocities, and the
            deviations from targets.

        Raises
        ------
        InconsistentInitialValuesError
            If no configuration is found that satisfies the constraints with the specified coordinates of joints, or
            with the targets, or velocities contradict the constraints; the message names the equation and these
            coordinates, or the target that is missed and by how much.
        UnknownNameError
            If an output does not exist.
        ModelError
            If the model has first-order states, or dependent nodes with targets, or a target has the wrong size.
        """
        from symlie.runtime.statics.assembly.initial_assembly import assembled

        return assembled(self, t, velocities=velocities, targets=targets, limits=limits)

    def simulator(
        self,
        t: float = 0.0,
        *,
        method: MethodLike | None = None,
        method_options: Mapping[str, object] | None = None,
        h: float | None = None,
        rtol: ArrayLike | None = None,
        atol: ArrayLike | None = None,
        stabilize: Stabilization = "none",
        controllers: Sequence[Sampled] | Sampled = (),
        record: bool = False,
    ) -> Simulator:
        """Return a simulation that starts at the initial state and is advanced from a loop in Python.

        Parameters
        ----------
        t
            Initial time, in s.
        method, method_options, h, rtol, atol, stabilize
            As in `solve`.
        controllers
            Functions in Python that are called at sample times, which begin at ``t``; ``sim.inputs`` sets other inputs.
        record
            True: record the start and the end of every step, for `Simulator.solution`. False: memory does not grow.

        Returns
        -------
        Simulator
            With ``step``, ``advance``, ``state``, ``inputs``, ``outputs``, ``events``, ``set_state``, ``save`` and
            ``restore``.

        Raises
        ------
        UnsupportedMethodError, UnknownNameError, ModelError, SmoothnessError
            As in `solve`.
        InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
            As for `initial_state`.
        """
        from symlie.runtime.integrate.simulation.simulator import simulator

        options = {"method": method, "method_options": method_options, "h": h, "rtol": rtol, "atol": atol}
        return simulator(self, t, {**options, "stabilize": stabilize}, record=record, controllers=controllers)

    def export(
        self,
        target: ExportTarget,
        out: str | Path,
        *,
        method: MethodLike | None = None,
        method_options: Mapping[str, object] | None = None,
        h: float | None = None,
        rtol: ArrayLike | None = None,
        atol: ArrayLike | None = None,
        stabilize: Stabilization = "none",
        prefix: str | None = None,
        kind: ExportKind = "cs",
        real: ExportReal = "double",
        platforms: Sequence[ExportPlatform] = (),
        states: ExportStates = "own",
    ) -> Path:
        """Write this system with a method as self-contained C, or as a functional mock-up unit.

        Parameters
        ----------
        target
            ``"c"``: a folder of C99 that needs no other library than ``math.h``, allocates nothing, and keeps no data
            between calls. ``"fmu2"``, ``"fmu3"``: a unit for FMI 2.0 or 3.0.
        out
            Folder, or file of the unit (.fmu).
        method, method_options, stabilize
            As in `solve`; all methods except `taylor`.
        h
            Step size, in s. C: that of the self-test and of examples; default: 1e-3. Units: fixed steps of at most this
            length; default: adaptive steps, or steps of 1e-3 s if the method has no error estimate.
        rtol, atol
            Tolerances of adaptive steps, as in `solve`; with floats, rtol is 1e-4 by default and at least 1e-5.
        prefix
            Prefix of all exported names; default: the name of the system.
        kind
            Kind of a unit: ``"cs"``, co-simulation, in which the unit takes the steps; ``"me"``, model exchange, in
            which another program integrates the states; ``"both"``.
        real
            Type of all numbers of C: ``"double"`` or ``"float"``; units have doubles.
        platforms
            Other systems for which a unit contains binaries, such as ``"x86_64-windows"``, compiled by the Python
            package ziglang.
        states
            Continuous states of units for model exchange: ``"own"``, configurations and velocities; ``"corotating"``,
            rotations and velocities in body axes relative to a steady rotation from the start, which solvers integrate
            with fewer steps and smaller errors if bodies spin fast.

        Returns
        -------
        Path
            The folder or the file.

        Raises
        ------
        UnknownNameError
            If the target, the kind, the number type, the kind of states or a system does not exist.
        UnsupportedMethodError
            If the method cannot integrate the system, or cannot be exported.
        ModelError
            If a name is no identifier, the topology is too large for constants, no rotation is stored as a unit
            quaternion or matrix for co-rotating states, or other arguments are invalid.
        InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
            As in `solve`.
        NoCompilerError
            If the size of the workspace is unknown without a compiler, or if ziglang is not installed.
        CompilerError
            If a binary for another system cannot be compiled.
        FormatError
            If a file cannot be written.
        """
        from symlie.api import export

        return export(
            self, target, out, method=method, method_options=method_options, h=h, rtol=rtol, atol=atol,
            stabilize=stabilize, prefix=prefix, kind=kind, real=real, platforms=platforms, states=states,
        )  # fmt: skip

    def with_configuration(self, q: Array) -> System:
        """Return a copy with another initial configuration of all nodes, for example a static equilibrium.

        Parameters
        ----------
        q
            Configuration, shape (storage,).

        Raises
        ------
        ModelError
            If q has another number of entries or is not finite.
        """
        values = numbers("configuration", q, self.layout.storage)[0]
        changed = dict(self.initial_fields)
        for node in self.layout.nodes:
            rows = values[node.storage].reshape(node.count, -1)
            for stored in node.type.storage_fields:
                changed[node.name, stored.name] = rows[:, stored.part]
        return dataclasses.replace(self, initial_values=changed)

    def check_motions(self, t: float) -> None:
        """Check that the configurations of prescribed nodes are elements of their groups.

        Parameters
        ----------
        t
            Time, in s.

        Raises
        ------
        ModelError
            If a configuration is not.
        """
        if len(self.layout.motion_storage):
            q, v = self.own_initial()
            self.mechanics.prescribe(t, q, v)
            checked_configuration(self.layout, self.kernels, q, f"prescribed motion at t = {t:g}")

    def own_initial(self) -> tuple[Array, Array]:
        """Return q and v of all nodes as defined by the model, without later changes."""
        return own_initial(self)
