"""A system: generated code, its layout, parameter values and initial values, ready to be integrated."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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
    from symlie.runtime.statics.equilibrium import Equilibrium
    from symlie.runtime.statics.equilibrium_path import EquilibriumPath
    from symlie.runtime.statics.initial_assembly import Assembly
    from symlie.runtime.statics.linearization import Linearization
    from symlie.runtime.statics.mobility import Mobility
    from symlie.runtime.statics.monodromy import Monodromy


@dataclass(frozen=True, eq=False, repr=False)
class System(SystemValues):
    """A model ready to run.

    Build one with `Equations.compile` or `symlie.load`. A system is immutable; `with_parameters`, `with_initial` and
    `with_input` return changed copies without deriving or compiling. It pickles with its generated code; to unpickle it
    is to run that code.
    """

    assembly: Assembly | None = None
    """How far `assembled` moved the initial values, if they come from it."""

    def __repr__(self) -> str:
        return system_line(self)

    def _repr_html_(self) -> str:
        return system_html(self)

    def __reduce__(self) -> tuple[Callable[..., System], tuple[object, ...]]:
        from symlie.runtime.system.pickling import pickled_system

        return pickled_system(self)

    def with_initial(self, node: str, /, **fields: object) -> System:
        """A copy with other initial values of a node, by field: ``with_initial("top", Omega=[0, 1, 0])``.

        Those of a joint are its coordinates and rates, ``with_initial("pivot", angle=0.3, rate=1)``, as `Model.initial`
        takes them.

        Fields of a node array take one row of components for each node, or one for all nodes. A quantity that the model
        computes a field from, by `NodeArray.initial_quantity`, may stand in its place; parameters that are changed
        later count.

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
            There is no such node, field or quantity.
        ModelError
            Wrong number of components, not finite, or both a field and a quantity in its place.
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

    @cached_property
    def mechanics(self) -> Mechanics:
        """The equations of the system as functions of (t, q, v)."""
        return Mechanics(self)

    @property
    def newton_matrices(self) -> SystemMatrices:
        """K, C and H, derived and compiled when first needed; see `SystemMatrices`."""
        return self.sets.matrices("newton")

    @cached_property
    def initial_state(self) -> InitialState:
        """Consistent q₀, v₀, λ₀ at t = 0: given values checked, velocities completed, multipliers computed."""
        if (found := self.ordinary_start) is not None:
            return found
        return self.consistent_state(0.0)

    @cached_property
    def ordinary_start(self) -> InitialState | None:
        """The consistent state at t = 0, where a quick look suffices to see that nothing is wrong with it."""
        return ordinary_start(self)

    def consistent_state(self, t: float) -> InitialState:
        """Consistent initial state at time t; see `initial_state`.

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
        """Initial values that were given, by node and field: quantities are replaced by fields computed from them."""
        return initial_fields(self)

    def stated_state(self) -> StatedState:
        """Initial values as they were stated, on the group, but not checked against the constraints."""
        return self._stated

    @cached_property
    def _stated(self) -> StatedState:
        q, v, given = self.stated_values()
        check_numbers(self.layout, self.parameters, self.element_parameters, q, v)
        q = checked_configuration(self.layout, self.kernels, q, "initial configuration")
        return StatedState(q, v, given, conditions_of(self))

    def stated_values(self) -> tuple[Array, Array, NDArray[np.bool_]]:
        """q and v of all nodes, unchecked, and a mask of the velocity components given; others are a guess."""
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
        """The static equilibrium g(t, q, 0) + Bᵀ λ = 0, Φ(t, q) = 0 that is reached from the initial configuration.

        Parameters
        ----------
        t
            Time at which loads, constraints and prescribed nodes are taken, in s.
        tolerance
            Largest component of the last Newton correction: angles in rad, others relative to the size of the system.
        load_steps
            Number of steps in which the forces that are out of balance at the start are released; 1 releases them at
            once.
        stable
            Whether steps that climb are refused. Otherwise an unstable equilibrium nearby is found as well as a stable
            one. `linearize` tells which it is.
        max_iterations
            Largest number of Newton steps of each load step.
        start
            A previous equilibrium of this model, such as one under other loads, as the starting point; default: the
            initial configuration.

        Returns
        -------
        Equilibrium
            The tuple (q, multipliers, iterations). Nonholonomic constraints bear no load. Forces at the level of
            rounding are in balance, so that free bodies rest.

        Raises
        ------
        EquilibriumError
            None was found; the message says which force is out of balance, and the error has the last equilibrium of
            the load steps.
        RedundantConstraintsError
            Constraint rows depend on each other.
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
        """The path of equilibria over a parameter, through its limit points.

        Parameters
        ----------
        parameter
            Name of a scalar parameter or input of the model, or ``"t"`` for the time of loads and prescribed nodes. The
            path begins at the value that this system has.
        until
            Value of the parameter at which the path ends.
        t
            Time at which loads, constraints and prescribed nodes are taken, in s.
        start
            An equilibrium at the first value; default: the one that `static_equilibrium` finds.
        first_step, largest_step
            Arc lengths of steps, dimensionless: the root of the mean square of displacements and rotations, relative
            to the size of the system and in rad, and of the change of the parameter, relative to its range.
        max_points
            Largest number of points; a warning says that ``until`` was not reached.
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
            There is no equilibrium at the first value.
        EquilibriumPathError
            The path is lost; the error has the path so far.
        UnknownNameError, ModelError
            There is no such parameter, or an argument has no meaning.

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
        """Small motions about an equilibrium or about a steady motion.

        In a steady motion the velocity v is constant and all matrices of the linear equations are the same along
        q∘exp(t v). A body that spins about its axis of symmetry is q = p∘exp(t ζ); its v, and what varies, are then
        taken in the axes p, which do not spin, and p∘exp(t (v - ζ)) is what is steady.

        Parameters
        ----------
        q
            Configuration, shape (storage,); default: the static equilibrium that `static_equilibrium` finds.
        multipliers
            λ there, shape (rows,); default: such that the forces are in balance.
        t
            Time, in s, of q. At rest loads and constraints stay as they are then.
        v
            Velocity of a steady motion, shape (dimension,); default: at rest.
        frame
            ζ by name of the node, shape (dimension of its group,), or with one row for each node of an array; zero for
            others.
        modes
            Number of modes, the slowest first; a conjugate pair is one mode. Default: all of a small system, else 12.

        Raises
        ------
        EquilibriumError
            There is no equilibrium, or motions about the configuration are not determined.
        SteadyMotionError
            This is no motion of the system, or it is not steady; the message names what is violated or changes most.
        ModelError
            An argument has a wrong shape.
        """
        from symlie.runtime.statics.linearization import linearize

        return linearize(self, q, multipliers, t, v=v, frame=frame, modes=modes)

    def mobility(self, q: Array | None = None, t: float = 0.0) -> Mobility:
        """Degrees of freedom at a configuration, redundant constraints, motions that nothing holds, by joints.

        Parameters
        ----------
        q
            Configuration, shape (storage,); default: the stated one, which need not be consistent.
        t
            Time, in s; it matters where prescribed nodes move.
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
        """Floquet multipliers of a motion that is periodic, or periodic up to a symmetry.

        Variations go along the steps of half_explicit_5, whose stages are differentiated exactly, with the derived
        matrices; errors fall with the fifth power of the number of steps. Multipliers are those of variations that the
        constraints admit. A motion that returns up to a symmetry, such as a disk that rolls in circles, must look the
        same after the period: velocity and matrices are compared.

        Parameters
        ----------
        period
            T, in s.
        q, v
            State on the motion, shape (storage,) and (dimension,); default: the initial state.
        t
            Time of the state, in s; it matters where something depends on time.
        steps
            Number of equal steps.
        frame
            ζ by name of the node, as in `linearize`: bodies that look the same when they are turned by exp(T ζ) from
            the right.

        Raises
        ------
        PeriodicMotionError
            The motion does not come back; the message names what changes most.
        ModelError
            An argument has a wrong shape, or the system has nodes without velocity or rows of accelerations.
        EquilibriumError
            A direction has no mass and is not fixed.
        RedundantConstraintsError
            Constraint rows depend on each other.
        IntegrationError
            A step fails.
        """
        from symlie.runtime.statics.monodromy import monodromy

        return monodromy(self, period, q, v, t, steps, frame or {})

    def assembled(self, t: float = 0.0, *, velocities: bool = True) -> System:
        """A copy whose initial values satisfy the constraints, by the smallest change of the stated ones.

        Parameters
        ----------
        t
            Initial time, in s.
        velocities
            Whether stated velocities that contradict the constraints are changed, too, by as little as possible.
            Velocities that were not stated are completed anyway.

        Returns
        -------
        System
            Its ``assembly`` tells how far each node moved, and which velocities were changed and which completed.
            Changes are measured by the mass matrix, so that the result does not depend on units. Given velocities
            change only where those that are not given cannot satisfy the constraints without going far. Coordinates of
            joints that were given stay as they are. What remains
            open of the latter takes the least kinetic energy: give those that matter. Where a correction is large
            compared with the curvature of the constraints it may end at a configuration that is near, but not nearest.

        Raises
        ------
        InconsistentInitialValuesError
            The constraints cannot be satisfied from there, or not with given coordinates of joints; the message names
            the worst row and these coordinates.
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
        stabilize: str = "none",
    ) -> Path:
        """Write a folder of C11 that compiles by itself to a program which integrates this system; see its README.

        Parameters
        ----------
        folder
            Folder to write to; it is made if it does not exist.
        h
            Size of the steps, in s.
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
        """A copy with another initial configuration, such as that of a static equilibrium.

        Parameters
        ----------
        q
            Configuration, shape (storage,).

        Raises
        ------
        ModelError
            It has another shape, or is not finite.
        """
        values = numbers("configuration", q, self.layout.storage)[0]
        changed = dict(self.initial_fields)
        for node in self.layout.nodes:
            rows = values[node.storage].reshape(node.count, -1)
            for stored in node.type.storage_fields:
                changed[node.name, stored.name] = rows[:, stored.part]
        return dataclasses.replace(self, initial_values=changed)

    def check_motions(self, t: float) -> None:
        """Check that prescribed nodes are in their groups.

        Parameters
        ----------
        t
            Time of the check, in s.

        Raises
        ------
        ModelError
            One is not.
        """
        if len(self.layout.motion_storage):
            q, v = self.own_initial()
            self.mechanics.prescribe(t, q, v)
            checked_configuration(self.layout, self.kernels, q, f"prescribed motion at t = {t:g}")

    def own_initial(self) -> tuple[Array, Array]:
        """q and v of all nodes as the model states them, whatever was given to this system."""
        return own_initial(self)
