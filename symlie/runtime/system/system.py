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

from symlie.options import Stabilization
from symlie.runtime.kernels.matrices import SystemMatrices
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.checks import check_numbers, checked_configuration
from symlie.runtime.system.completion import InitialState, StatedState, consistent_initial_state
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
from symlie.runtime.system.summaries import system_html, system_line
from symlie.runtime.system.values import SystemValues

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symlie.runtime.methods.chosen import MethodLike
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.statics.equilibrium import Equilibrium
    from symlie.runtime.statics.equilibrium_path import EquilibriumPath
    from symlie.runtime.statics.initial_assembly import Assembly
    from symlie.runtime.statics.linearization import Linearization
    from symlie.runtime.statics.mobility import Mobility
    from symlie.runtime.statics.monodromy import Monodromy


@dataclass(frozen=True, eq=False, repr=False)
class System(SystemValues):
    """Compiled model with parameter values and initial values, ready to run.

    Build one with `Equations.compile` or `symlie.load`. A system is immutable; `with_parameters`, `with_initial`,
    `with_state` and `with_input` return changed copies without deriving or compiling. Its pickle contains the generated
    code, so that unpickling runs that code.
    """

    assembly: Assembly | None = None
    """Changes that `assembled` made to the initial values, if it produced this system."""

    def __repr__(self) -> str:
        return system_line(self)

    def _repr_html_(self) -> str:
        return system_html(self)

    def __reduce__(self) -> tuple[Callable[..., System], tuple[object, ...]]:
        from symlie.runtime.system.pickling import pickled_system

        return pickled_system(self)

    def with_initial(self, node: str, /, **fields: object) -> System:
        """Return a copy with other initial values of a node, by field: ``with_initial("top", Omega=[0, 1, 0])``.

        Initial values of a joint are its coordinates and rates, ``with_initial("pivot", angle=0.3, rate=1)``, as in
        `Model.initial`.

        Fields of a node array take one row of components per node, or one for all nodes. A quantity declared by
        `NodeArray.initial_quantity` may replace the field that the model computes from it; the computation uses the
        parameters of the run, including later changes.

        Parameters
        ----------
        node
            Name of a node, a node array or a joint.
        **fields
            Values by name of a field of its configuration or velocity, or of a quantity. ``rotation`` is the field that
            stores a rotation, given by `rotation`.

        Raises
        ------
        UnknownNameError
            If the node, field or quantity does not exist.
        ModelError
            If a value has the wrong number of components or is not finite, or if both a field and a quantity that
            replaces it are given.
        """
        rates = {name: value for name, value in fields.items() if is_joint_rate(self.layout, (node, name))}
        if rates:
            given = {(node, name): numbers(f"initial {name} of {node}", value, 1) for name, value in rates.items()}
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
        """Return a copy that starts from a state of a solution, possibly of another model.

        Configurations and velocities of nodes with equal names become initial values, and so do first-order states.
        They replace all specified initial values of these nodes and rates of joints. Runs have a new method
        history and new counts of full turns; unwrapped angles keep their values. If constraints differ, or a solution
        drifts from them, `assembled` makes the values consistent by the smallest change.

        Parameters
        ----------
        solution
            A solution of this or of another model, for example with other parameters or forces.
        t
            Time of the state, in s, within the solution; default: its last state.
        nodes
            Names of nodes and node arrays; default: all that are unknowns of this system. The other nodes retain their
            initial values.

        Raises
        ------
        UnknownNameError
            If this system does not have one of the nodes.
        ModelError
            If the solution does not have one of the nodes, or has it on another group or in another number; the message
            lists them all.
        """
        from symlie.runtime.solution.state_transfer import with_state

        return with_state(self, solution, t, nodes)

    @cached_property
    def mechanics(self) -> Mechanics:
        """Equations of motion of the system as functions of (t, q, v)."""
        return Mechanics(self)

    @property
    def newton_matrices(self) -> SystemMatrices:
        """K, C and H, derived and compiled on first use; see `SystemMatrices`."""
        return self.sets.matrices("newton")

    @cached_property
    def initial_state(self) -> InitialState:
        """Consistent q₀, v₀, λ₀ at t = 0: checked specified values, completed velocities, computed multipliers."""
        if (found := self.ordinary_start) is not None:
            return found
        return self.consistent_state(0.0)

    @cached_property
    def ordinary_start(self) -> InitialState | None:
        """Consistent state at t = 0 if a quick check suffices, else None."""
        return ordinary_start(self)

    def consistent_state(self, t: float) -> InitialState:
        """Return the consistent initial state at time t; see `initial_state`.

        Parameters
        ----------
        t
            Time, in s.
        """
        stated = self.stated_state()
        if self.branch_check is not None and self.initial_values:
            self.branch_check(self.initial_fields)
        self.check_motions(t)
        return consistent_initial_state(self.mechanics, t, stated)

    @cached_property
    def initial_fields(self) -> Mapping[tuple[str, str], Array]:
        """Specified initial values by node and field, with quantities replaced by the fields computed from them."""
        return initial_fields(self)

    def stated_state(self) -> StatedState:
        """Return the specified initial values, on the group, but not checked against the constraints."""
        return self._stated

    @cached_property
    def _stated(self) -> StatedState:
        q, v, given = self.stated_values()
        check_numbers(self.layout, self.parameters, self.element_parameters, q, v)
        q = checked_configuration(self.layout, self.kernels, q, "initial configuration")
        return StatedState(q, v, given, conditions_of(self))

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
            If True, steps that do work against the forces are rejected. Otherwise the search may also find a nearby
            unstable equilibrium; `linearize` determines its stability.
        max_iterations
            Largest number of Newton steps per load step.
        start
            A previous equilibrium of this model, for example under other loads, as the starting point; default: the
            initial configuration.

        Returns
        -------
        Equilibrium
            The tuple (q, multipliers, iterations). Nonholonomic constraints bear no load. Forces at the level of
            rounding are in balance, so that free bodies rest.

        Raises
        ------
        EquilibriumError
            If no equilibrium is found; the message states the unbalanced force, and the error contains the last
            equilibrium of the load steps.
        RedundantConstraintsError
            If constraint equations are redundant.
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
        """Follow the path of equilibria over a parameter, through its limit points.

        Parameters
        ----------
        parameter
            Name of a scalar parameter or input of the model, or ``"t"`` for the time of loads and prescribed nodes. The
            path begins at the value of this system.
        until
            Value of the parameter at which the path ends.
        t
            Time at which loads, constraints and prescribed nodes are evaluated, in s.
        start
            An equilibrium at the first value; default: the one that `static_equilibrium` finds.
        first_step, largest_step
            Arc lengths of steps, dimensionless: the root mean square of displacements (relative to the size of the
            system), rotations (in rad) and the change of the parameter (relative to its range).
        max_points
            Largest number of points; a warning reports a path that does not reach ``until``.
        tolerance
            As in `static_equilibrium`.

        Returns
        -------
        EquilibriumPath
            Values, configurations, multipliers, outputs and stability along the path, with its limit and bifurcation
            points.

        Raises
        ------
        EquilibriumError
            If no equilibrium exists at the first value.
        EquilibriumPathError
            If the path is lost; the error contains the path so far.
        UnknownNameError, ModelError
            If the parameter does not exist, or an argument is invalid.

        Source: [Riks1979]; [Deuflhard2004], section 5.2.
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

        In a steady motion the velocity v is constant, and the matrices of the linear equations are constant along
        q∘exp(t v). For a body that spins about its axis of symmetry, q = p∘exp(t ζ): its v and its variations are
        components in the axes p, which do not spin, and the steady motion is p∘exp(t (v - ζ)).

        Parameters
        ----------
        q
            Configuration, shape (storage,); default: the static equilibrium that `static_equilibrium` finds.
        multipliers
            λ at q, shape (constraints,); default: the multipliers that balance the forces.
        t
            Time of q, in s. At rest, loads and constraints are frozen at this time.
        v
            Velocity of a steady motion, shape (dimension,); default: at rest.
        frame
            ζ by name of the node, shape (dimension of its group,), or with one row per node of an array; zero for
            others.
        modes
            Number of modes, the slowest first; a conjugate pair is one mode. Default: all of a small system, else 12.

        Raises
        ------
        EquilibriumError
            If q is no equilibrium, or motions about it are not determined.
        SteadyMotionError
            If the motion violates the equations or is not steady; the message states the violated equation or the
            quantity that changes most.
        ModelError
            If an argument has a wrong shape.
        """
        from symlie.runtime.statics.linearization import linearize

        return linearize(self, q, multipliers, t, v=v, frame=frame, modes=modes)

    def mobility(self, q: Array | None = None, t: float = 0.0) -> Mobility:
        """Determine degrees of freedom, redundant constraints and free motions at a configuration, by joint.

        Parameters
        ----------
        q
            Configuration, shape (storage,); default: the specified one, which need not be consistent.
        t
            Time, in s; relevant for prescribed nodes that move.
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
        frame: Mapping[str, ArrayLike] | None = None,
    ) -> Monodromy:
        """Compute the Floquet multipliers of a motion that is periodic, or periodic up to a symmetry.

        Variations follow the steps of half_explicit_5, whose stages are differentiated exactly with the derived
        matrices; errors decrease with the fifth power of the number of steps. Only variations that satisfy the
        constraints have multipliers. A motion that is periodic up to a symmetry, such as a disk that rolls in circles,
        must have the same velocity and matrices after one period; both are checked.

        Parameters
        ----------
        period
            T, in s.
        q, v
            State on the motion, shape (storage,) and (dimension,); default: the initial state.
        t
            Time of the state, in s; relevant for systems that depend on time.
        steps
            Number of equal steps.
        frame
            ζ by name of the node, as in `linearize`, for bodies that are invariant under the rotation exp(T ζ) from the
            right.

        Raises
        ------
        PeriodicMotionError
            If the motion is not periodic; the message states the quantity that changes most.
        ModelError
            If an argument has a wrong shape, or the system has nodes without velocity or acceleration-level
            constraints.
        EquilibriumError
            If a massless direction is not constrained.
        RedundantConstraintsError
            If constraint equations are redundant.
        IntegrationError
            If a step fails.
        """
        from symlie.runtime.statics.monodromy import monodromy

        return monodromy(self, period, q, v, t, steps, frame or {})

    def assembled(self, t: float = 0.0, *, velocities: bool = True) -> System:
        """Return a copy with consistent initial values, by the smallest change of the specified ones.

        Parameters
        ----------
        t
            Initial time, in s.
        velocities
            If True, specified velocities that contradict the constraints change, too, by as little as possible.
            Unspecified velocities are completed in any case.

        Returns
        -------
        System
            Its ``assembly`` reports the change of each node, and the changed and the completed velocities. The mass
            matrix measures changes, so that the result does not depend on units. Specified velocities change only if
            the unspecified ones cannot satisfy the constraints without large values. Specified coordinates of joints do
            not change. The remaining velocities have the least kinetic energy: specify the ones that matter. If a
            correction is large compared with the curvature of the constraints, the result may be near, but not the
            nearest configuration.

        Raises
        ------
        InconsistentInitialValuesError
            If the search finds no configuration that satisfies the constraints, or none with the specified coordinates
            of joints; the message states the worst equation and these coordinates.
        """
        from symlie.runtime.statics.initial_assembly import assembled

        return assembled(self, t, velocities=velocities)

    def write_standalone(
        self,
        folder: str | Path,
        *,
        h: float = 1e-3,
        method: MethodLike | None = None,
        method_options: Mapping[str, object] | None = None,
        stabilize: Stabilization = "none",
    ) -> Path:
        """Write a folder of self-contained C11 code of a program that integrates this system; see its README.

        Parameters
        ----------
        folder
            Folder to write to; it is created if necessary.
        h
            Step size, in s.
        method, method_options, stabilize
            As in `solve`.

        Raises
        ------
        UnsupportedMethodError, ModelError
            As in `solve`.
        """
        from symlie.api import write_standalone

        return write_standalone(self, folder, h=h, method=method, method_options=method_options, stabilize=stabilize)

    def with_configuration(self, q: Array) -> System:
        """Return a copy with another initial configuration, for example a static equilibrium.

        Parameters
        ----------
        q
            Configuration, shape (storage,).

        Raises
        ------
        ModelError
            If q has another shape or is not finite.
        """
        values = numbers("configuration", q, self.layout.storage)[0]
        changed = dict(self.initial_fields)
        for node in self.layout.nodes:
            rows = values[node.storage].reshape(node.count, -1)
            for stored in node.type.storage_fields:
                changed[node.name, stored.name] = rows[:, stored.part]
        return dataclasses.replace(self, initial_values=changed)

    def check_motions(self, t: float) -> None:
        """Check that the configurations of prescribed nodes are in their groups.

        Parameters
        ----------
        t
            Time of the check, in s.

        Raises
        ------
        ModelError
            If one is not.
        """
        if len(self.layout.motion_storage):
            q, v = self.own_initial()
            self.mechanics.prescribe(t, q, v)
            checked_configuration(self.layout, self.kernels, q, f"prescribed motion at t = {t:g}")

    def own_initial(self) -> tuple[Array, Array]:
        """Return q and v of all nodes as defined by the model, without changes made to this system."""
        return own_initial(self)
