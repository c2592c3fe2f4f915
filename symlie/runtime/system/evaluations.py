"""Evaluation of the equations of motion at given states, as methods of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, overload

from symlie.options import Axes, Wrt
from symlie.runtime.layout.layout import Array, Sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.solution.state import State
    from symlie.runtime.system.system import System


class Evaluations:
    """Methods of a system that evaluate its equations of motion at given states."""

    if TYPE_CHECKING:

        @property
        def _system(self) -> System: ...

    def state(
        self,
        q: State | Solution | ArrayLike | None = None,
        v: ArrayLike | None = None,
        /,
        *,
        t: ArrayLike | None = None,
        complete: bool = True,
        **nodes: object,
    ) -> State:
        """Return a state of the system, or several states, for the evaluation of its equations.

        ``system.state(t=0, bob={"x": [0.6, 0, -0.8]})`` gives values of nodes and joints by name, as `with_initial`
        does; all other values are the initial values of the system. ``system.state(q, v, t=0)`` takes arrays, and
        ``system.state(solution)`` all recorded states of a solution, or of ``solution(t)``. Configurations and
        velocities of prescribed and dependent nodes are computed from the others.

        Parameters
        ----------
        q
            Configurations, shape (..., storage), which may violate constraints; or a solution or a state.
        v
            Velocities, shape (..., dimension); default: zero.
        t
            Time, in s: a number, or an array that fits the shape of the states; default: 0.
        complete
            With values of nodes. True: complete unspecified velocities and check the constraints, as for initial
            values of a run. False: take the values unchanged; unspecified velocities are zero.
        **nodes
            Values by name of a node, a node array or a joint: mappings of the arguments of `with_initial`. Leading axes
            of arrays are those of the states.

        Returns
        -------
        State
            One state, or states in the shape of the arrays.

        Raises
        ------
        UnknownNameError
            If a node, a joint or a field does not exist.
        ModelError
            If a shape does not fit, a number is not finite, a configuration is not an element of its group, or the
            solution belongs to another system.
        InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
            As for `initial_state`, if values of nodes are completed.
        """
        from symlie.runtime.solution.evaluation.states import given_state

        return given_state(self._system, q, v, t, complete, nodes)

    def acceleration(
        self, state: State | Solution, *, inputs: Mapping[str, ArrayLike] | None = None
    ) -> tuple[Array, Array]:
        """Return v' and λ of M v' + g + Bᵀ λ = 0, B v' + Z = 0, as in the first stage of a step.

        Velocities of prescribed nodes have their prescribed accelerations; components of first-order states are zero.
        With redundant constraint equations and ``with_redundant("minimal_norm")``, λ has minimal norm. The states may
        violate the constraints.

        Source: [HairerWanner1996], section VII.1.

        Parameters
        ----------
        state
            One state or several, of this system or of a copy with other values.
        inputs
            Values of inputs of the model by name, constant in time, in their units; default: those of the system.

        Returns
        -------
        acceleration
            v', shape (..., dimension), in units of the velocity per s.
        multipliers
            λ, shape (..., constraint equations), in the units of the reactions.

        Raises
        ------
        SingularMassMatrixError, RedundantConstraintsError
            If a state does not determine accelerations and multipliers; the message names the first one.
        NotFiniteError
            If a term or an acceleration is not finite.
        ModelError
            If the state belongs to another system, or a value of an input has the wrong size.
        UnknownNameError
            If an input does not exist.
        """
        from symlie.runtime.solution.evaluation.accelerations import acceleration

        return acceleration(self._system, state, inputs)

    def mass_matrix(self, state: State | Solution) -> Array | Sparse:
        """Return M(q), symmetric, with the components of fixed, prescribed and dependent nodes.

        M is singular for massless components; rows and columns of first-order states are zero.

        Source: [HairerWanner1996], section VII.1.

        Parameters
        ----------
        state
            One state or several.

        Returns
        -------
        ndarray or scipy.sparse.csr_array
            Shape (..., dimension, dimension), in kg, kg m and kg m² for bodies; sparse for one state of a system with
            more than 200 velocity components.

        Raises
        ------
        ModelError
            If the state belongs to another system.
        """
        from symlie.runtime.solution.evaluation.terms import matrix

        return matrix(self._system, state, "mass")

    def bias_force(self, state: State | Solution, *, inputs: Mapping[str, ArrayLike] | None = None) -> Array:
        """Return g(t, q, v) of M v' + g + Bᵀ λ = 0: inertia forces at zero v', minus all applied forces.

        Source: [HairerWanner1996], section VII.1.

        Parameters
        ----------
        state
            One state or several.
        inputs
            As in `acceleration`.

        Returns
        -------
        ndarray
            Shape (..., dimension): forces in N and moments in N m for bodies, in the order of the velocities.

        Raises
        ------
        ModelError, UnknownNameError
            If the state belongs to another system, or an input does not exist or has the wrong size.
        """
        from symlie.runtime.solution.evaluation.terms import term

        return term(self._system, state, "force", inputs)

    def constraint_jacobian(
        self, state: State | Solution, *, inputs: Mapping[str, ArrayLike] | None = None
    ) -> Array | Sparse:
        """Return B of B v + b = 0 for all constraint equations, holonomic or not.

        For constraints ψ(t, q, v) = 0 that are nonlinear in the velocities, B is ∂ψ/∂v; for acceleration-level
        constraints it is the matrix of v'.

        Source: [HairerWanner1996], section VII.1.

        Parameters
        ----------
        state
            One state or several.
        inputs
            As in `acceleration`.

        Returns
        -------
        ndarray or scipy.sparse.csr_array
            Shape (..., constraint equations, dimension), in units of the equation per unit of q; sparse for one state
            of a system with more than 200 velocity components.

        Raises
        ------
        ModelError, UnknownNameError
            As in `bias_force`.
        """
        from symlie.runtime.solution.evaluation.terms import matrix

        return matrix(self._system, state, "jacobian", inputs)

    def constraint(self, state: State | Solution, *, inputs: Mapping[str, ArrayLike] | None = None) -> Array:
        """Return Φ(t, q), zero for equations that restrict velocities or accelerations only.

        Source: [HairerWanner1996], section VII.1.

        Parameters
        ----------
        state
            One state or several.
        inputs
            As in `acceleration`.

        Returns
        -------
        ndarray
            Shape (..., constraint equations), in the units of the equations.

        Raises
        ------
        ModelError, UnknownNameError
            As in `bias_force`.
        """
        from symlie.runtime.solution.evaluation.terms import term

        return term(self._system, state, "constraint", inputs)

    def hidden_constraint_residual(
        self, state: State | Solution, *, inputs: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Return B v + b, the rate of Φ or the residual of nonholonomic constraints.

        Equations that restrict accelerations only have the value zero.

        Source: [HairerWanner1996], section VII.1.

        Parameters
        ----------
        state
            One state or several.
        inputs
            As in `acceleration`.

        Returns
        -------
        ndarray
            Shape (..., constraint equations), in the units of the equations per s for holonomic constraints.

        Raises
        ------
        ModelError, UnknownNameError
            As in `bias_force`.
        """
        from symlie.runtime.solution.evaluation.terms import term

        return term(self._system, state, "hidden_residual", inputs)

    @overload
    def inverse_dynamics(
        self,
        state: State | Solution,
        acceleration: ArrayLike,
        actuators: None = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> Array: ...
    @overload
    def inverse_dynamics(
        self,
        state: State | Solution,
        acceleration: ArrayLike,
        actuators: Sequence[str],
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[Array, Array]: ...
    def inverse_dynamics(
        self,
        state: State | Solution,
        acceleration: ArrayLike,
        actuators: Sequence[str] | None = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> Array | tuple[Array, Array]:
        """Return the generalised forces M a + g of an acceleration, or the efforts of actuators that produce it.

        M a + g are the forces that must act in addition to those of the model; constraints supply -Bᵀ λ of them. With
        ``actuators``, M a + g(u) + Bᵀ λ = 0 is solved for the named inputs u and for λ. The efforts of drives are part
        of λ. The acceleration must satisfy the constraints, B a + Z = 0.

        Source: [Featherstone2008], chapter 5.

        Parameters
        ----------
        state
            One state or several.
        acceleration
            a, shape (..., dimension), as from `acceleration`.
        actuators
            Names of inputs of the model, and of drives and other constraints with an output ``NAME_effort``. All inputs
            that are unknown must be named.
        inputs
            As in `acceleration`; values of actuators are those from which Newton's method starts, zero by default.

        Returns
        -------
        forces
            Without actuators: M a + g, shape (..., dimension), in N and N m for bodies.
        efforts, multipliers
            With actuators: values of the inputs, in their units, and efforts of the drives, in N m or N, in the order
            of the names, shape (..., components); and λ, shape (..., constraint equations), of minimal norm for
            redundant equations.

        Raises
        ------
        UnknownNameError
            If an actuator or an input does not exist.
        ModelError
            If the state belongs to another system, a shape does not fit, or the acceleration violates constraints or
            does not determine the inputs.
        RedundantConstraintsError
            With actuators, if constraint equations are redundant without ``with_redundant("minimal_norm")``.
        NotConvergedError
            If the actuators cannot produce the acceleration; the message names the largest remaining force.
        """
        from symlie.runtime.solution.evaluation.inverse_dynamics import inverse_dynamics

        return inverse_dynamics(self._system, state, acceleration, actuators, inputs)

    def outputs(
        self,
        state: State | Solution,
        names: Sequence[str] | None = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> dict[str, Array]:
        """Return outputs by name, as `Solution.outputs`.

        Outputs that depend on λ use that of the solution from which the state is, or else that of the
        acceleration-level system.

        Parameters
        ----------
        state
            One state or several.
        names
            Names of the outputs; default: all.
        inputs
            As in `acceleration`.

        Returns
        -------
        dict
            Arrays of shape (...), or (..., components) for outputs with several components, in their units.

        Raises
        ------
        UnknownNameError
            If an output or an input does not exist.
        ModelError
            As in `bias_force`.
        """
        from symlie.runtime.solution.evaluation.outputs import outputs

        return outputs(self._system, state, names, inputs)

    def output_jacobian(
        self,
        state: State | Solution,
        names: str | Sequence[str],
        wrt: Wrt = "v",
        *,
        frame: Axes | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """Return the derivative of outputs y with respect to velocities, configurations, multipliers or inputs.

        It is exact: symlie derives it from the definition of the outputs. The columns of velocities and configurations
        belong to the velocity components of all nodes, so that the rate of an output y(t, q) is J v + ∂y/∂t.

        Source: [Featherstone2008], chapter 2.

        Parameters
        ----------
        state
            One state or several.
        names
            Name of an output, or names, whose components follow each other.
        wrt
            ``"v"``: J of y' = J v + … for outputs of the configuration, and ∂y/∂v for outputs that depend on the
            velocity. ``"q"``: D_q y, in the Lie algebra. ``"multipliers"``: ∂y/∂λ at constant acceleration.
            ``"inputs"``: ∂y/∂u of all inputs in their order.
        frame
            None: derivatives of the components. ``"space"`` or ``"body"``: geometric Jacobian. Rotation matrices, as of
            ``node.R``, become angular velocities, 3 rows or, in the plane, 1 row. ``"body"``: angular velocities and
            vectors are in axes of the rotation matrix among the outputs; ``"space"``: in inertial axes.
        inputs
            As in `acceleration`.

        Returns
        -------
        ndarray
            Shape (..., components, columns), in units of the output per unit of the variable.

        Raises
        ------
        UnknownNameError
            If an output, an input, a variable or a frame does not exist.
        ModelError
            If the outputs have no geometric Jacobian, or as in `bias_force`.
        FormatError
            If the system was loaded without the set of kernels ``ports``, and the model is unknown.
        """
        from symlie.runtime.solution.evaluation.outputs import output_jacobian

        return output_jacobian(self._system, state, names, wrt, frame, inputs)
