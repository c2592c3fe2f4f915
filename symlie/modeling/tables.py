"""Functions through points: piecewise linear tables as parameters, run-time inputs, and smooth tables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr, Symbol

from symlie.contract.tables import ENDS, OUTSIDE, SPLINES, check_points
from symlie.errors import ModelError
from symlie.ir.primitives import PiecewiseLinear, RunTimeInput
from symlie.ir.program import depends_on
from symlie.modeling.expressions import components
from symlie.modeling.names import new_name
from symlie.modeling.node import column
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import Expression
from symlie.modeling.terms import Input, SmoothTable
from symlie.modeling.units import Certainty, size_of
from symlie.options import Interpolation, Outside, TableEnd
from symlie.utilities.number_checks import is_text
from symlie.utilities.unit_names import Unit, parse_units


class TableStatement(Statement):
    """Functions through points, declared by a model."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.breakpoints: list[str] = []
        self.inputs: list[Input] = []
        """Inputs in the order of their definition."""
        self.tables: list[SmoothTable] = []

    @property
    def run_time_tables(self) -> list[Input | SmoothTable]:
        """All inputs and smooth tables, in the order of their slots."""
        return [*self.inputs, *self.tables]

    @property
    def slots(self) -> list[Symbol]:
        """Symbols of the slots of all inputs and smooth tables, which follow the parameters."""
        return [s for table in self.run_time_tables for s in table.slots]

    def piecewise_linear(self, name: str, times: Sequence[float], values: Sequence[float], unit: str = "") -> Expr:
        """Return a piecewise linear function of time through points, constant outside; steps end at its kinks.

        Use it in forces, energies, outputs and events. Constraints, drives and prescribed motions are differentiated
        and require a `smooth_table`.

        Parameters
        ----------
        name
            Identifier; times and values are the parameters ``NAME_times`` and ``NAME_values``.
        times, values
            The points; times increase, in s.
        unit
            Unit of the values, such as ``"kN"``; the function is in SI units.
        """
        if is_text(times) or is_text(values):
            raise ModelError(f"Time function '{name}' needs numbers, not text.")
        if len(times) != len(values) or len(times) < 2 or any(b <= a for a, b in itertools.pairwise(times)):
            raise ModelError(f"Time function '{name}' needs at least two points with increasing times.")
        t = self.parameter(f"{name}_times", times, unit="s")
        self.parameter(f"{name}_values", values, unit=unit)
        self.breakpoints.append(f"{name}_times")
        sizes = {size_of(u) for u in parse_units(unit, len(times))}
        if len(sizes) > 1:
            raise ModelError(f"The values of time function '{name}' must have one unit, not '{unit}'.")
        return sizes.pop() * PiecewiseLinear(self.t, t[0], self.parameters[-1].symbols[0], len(times))

    def input(
        self, name: str, size: int = 1, unit: str = "", *, interpolation: Interpolation | None = None
    ) -> Expression:
        """Declare a function of time u(t), specified at run time as a table by `System.with_input`; zero by default.

        Parameters
        ----------
        name
            Identifier.
        size
            Number of components.
        unit
            Unit of the table, such as ``"kN"``; u(t) is in SI units.
        interpolation
            ``"cubic"`` or ``"quintic"``: tables are interpolated by this spline or a smoother one, so the input may be
            used in expressions that are differentiated: constraints, drives and prescribed motions. Runs are then
            limited to the times of the table. Default: any interpolation.

        Returns
        -------
        Expr or SymbolicMatrix
            u(t), or the column of its components; without ``interpolation``, for forces, potential energies, outputs
            and events only.
        """
        if not isinstance(size, int) or size < 1:
            raise ModelError(f"Input '{name}' needs at least one component, not {size!r}.")
        if interpolation not in (None, *SPLINES.values()):
            raise ModelError(
                f"The interpolation of input '{name}' must be {' or '.join(SPLINES.values())}, not {interpolation!r}; "
                "give other interpolations with the table, by with_input."
            )
        declared = Input(name, size, unit, interpolation or "", self._new_slots("Input", name))
        self.inputs.append(declared)
        return self._evaluated(declared, self.t)

    def smooth_table(
        self,
        name: str,
        points: ArrayLike,
        values: object,
        *,
        order: int = 3,
        of: object | None = None,
        end: TableEnd = "not-a-knot",
        outside: Outside = "refuse",
        unit: str = "",
    ) -> Expression:
        """Return a spline through points, as a function of time or of another expression.

        Constraints and drives may use it. The points are run-time data: derivation and code do not depend on their
        number, and `System.with_table` replaces them. Cubic splines have two continuous derivatives, quintic splines
        four. For functions of time, steps end at the points.

        Parameters
        ----------
        name
            Identifier.
        points
            Times in s, or values of ``of`` in SI units, increasing. Shape (n,).
        values
            Values at these points, shape (n,), or (n, size) of a vector.
        order
            Degree of the polynomials between points: 3 or 5. For samples of a smooth function with spacing h, the error
            of the values is O(h⁴) or O(h⁶), and the error of second derivatives O(h²) or O(h⁴).
        of
            A scalar expression of the time and of coordinates, such as ``hinge.angle`` or ``q.x[0]``. Default: the
            time.
        end
            End conditions, in SciPy's terms. ``"not-a-knot"``: the first two intervals (quintic: three) share one
            polynomial, and so do the last ones; ``"clamped"``: f' = 0 (quintic: f' = f'' = 0), a motion from rest to
            rest; ``"natural"``: f'' = 0 (quintic: f''' = f'''' = 0); ``"periodic"``: the function repeats outside of
            the table.
        outside
            Arguments outside of the table. ``"refuse"``: a run that would leave a table of time raises an error at its
            start; a function of coordinates becomes NaN, and the run stops. ``"hold"``: the function has the first or
            the last value, with less smoothness: one continuous derivative for clamped cubic splines, two for clamped
            quintic splines, none otherwise. ``"continue"``: the polynomials at the ends are extrapolated.
        unit
            Unit of the values, such as ``"deg"``; the function is in SI units.

        Returns
        -------
        Expr or SymbolicMatrix
            The function, or the column of its components.

        Raises
        ------
        ModelError
            If the points do not increase, are too few or do not fit the values, or if the argument depends on
            velocities, on multipliers, or on no quantity that changes.

        Examples
        --------
        >>> import numpy as np
        >>> import symlie as sl
        >>> model = sl.Model("arm")
        >>> arm = sl.RigidBody(model, "arm", 2.0, [0.01, 0.04, 0.04], position=[0.25, 0, 0])
        >>> hinge = sl.RevoluteJoint(model, "hinge", model.ground, arm, at=[0, 0, 0], axis=[0, 1, 0])
        >>> times = np.linspace(0, 3, 31)
        >>> hinge.drive(model.smooth_table("angle", times, 0.3 * np.sin(2 * times), order=5)).name
        'hinge_drive'
        """
        if order not in SPLINES:
            raise ModelError(f"The order of table '{name}' must be 3 or 5, not {order!r}.")
        for what, given, known in (("end", end, ENDS), ("outside", outside, OUTSIDE)):
            if given not in known:
                raise ModelError(f"The {what} of table '{name}' must be one of {', '.join(known)}, not {given!r}.")
        x, y = _checked_points(name, points, values, SPLINES[order], end)
        argument = self.t if of is None else self._argument_of_table(name, of)
        slots, is_of_time = self._new_slots("Table", name), argument == self.t
        declared = SmoothTable(name, y.shape[1], unit, SPLINES[order], end, outside, is_of_time, x, y, slots)
        self.tables.append(declared)
        return self._evaluated(declared, argument)

    def _new_slots(self, what: str, name: str) -> tuple[Symbol, ...]:
        new_name(what, name, {table.name for table in self.run_time_tables}, self.name)
        return tuple(Symbol(f"input[{name},{k}]", real=True) for k in range(3))

    def _argument_of_table(self, name: str, of: object) -> Expr:
        parts, what = components(of), f"The argument of table '{name}'"
        if len(parts) != 1:
            raise ModelError(f"{what} must be a scalar, not {len(parts)} components.")
        self._without_multipliers(what, parts)
        if depends_on(self.program, parts, [*self._velocities, *self._accelerations]):
            raise ModelError(f"{what} depends on velocities; it must be an expression of the time and of coordinates.")
        moving = [self.time, *(s for n in self.nodes for s in n.value.components)]
        if not depends_on(self.program, parts, moving):
            raise ModelError(f"{what} depends neither on the time nor on a node of '{self.name}'.")
        return parts[0]

    def _evaluated(self, declared: Input | SmoothTable, argument: Expr) -> Expression:
        units = parse_units(declared.unit, declared.size)
        self.units.declare([declared.slots[0]], units[:1] if len(set(units)) == 1 else [None], Certainty.STATED)
        parts = _values(declared, argument)
        return parts[0] if declared.size == 1 else column(parts)


def _values(declared: Input | SmoothTable, argument: Expr) -> list[Expr]:
    """Return the components of a function in SI units."""
    units, first = parse_units(declared.unit, declared.size), declared.slots[0]
    return [size_of(u) * RunTimeInput.of(argument, first, k, declared.smoothness) for k, u in enumerate(units)]


def input_components(inputs: Sequence[Input], t: Expr) -> dict[Expr, tuple[int, int, Unit | None]]:
    """Return number, component and unit of each component of all inputs, by its expression."""
    return {
        value: (number, k, unit)
        for number, i in enumerate(inputs)
        for k, (value, unit) in enumerate(zip(_values(i, t), parse_units(i.unit, i.size), strict=True))
    }


def _checked_points(
    name: str, points: object, values: object, interpolation: str, end: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a smooth table, shapes (n,) and (n, size), or raise `ModelError`."""
    try:
        x, y = np.array(points, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The points of table '{name}' must be numbers.") from error
    if x.ndim != 1 or y.ndim not in (1, 2) or len(y) != len(x) or not y.size:
        raise ModelError(f"Table '{name}' needs a value, or a row of values, for each of its {x.size} points.")
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y)) and np.all(np.diff(x) > 0)):
        raise ModelError(f"Table '{name}' needs finite values at finite increasing points.")
    y = y.reshape(len(x), -1)
    check_points(f"Table '{name}'", x, y, interpolation, end)
    return x, y
