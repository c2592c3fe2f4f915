"""Opaque scalar functions: entire in z = ω², closed under differentiation, evaluated by a `Scheme`.

The algebra never expands a primitive, so an accurate evaluation cannot be rewritten into an inaccurate one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, Integer, Rational, Symbol

from symlie.errors import ModelError

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter

WORKING_INTERVAL = Rational(10)
"""Upper end in z = ω² of the interval without a branch to a closed form (ω ≤ 3.16 > π)."""


class CoefficientFunction(sympy.Function):
    """Base of the coefficient functions f(z); the last argument is the upper end of the working interval."""

    @property
    def argument(self) -> Expr:
        """Argument z of the function."""
        return self.args[-2]

    @property
    def upper(self) -> Rational:
        """Upper end of the working interval in the argument of the function."""
        return self.args[-1]

    @property
    def base_name(self) -> str:
        """Name without the interval, such as ``c2_1``."""
        raise AttributeError(f"{type(self).__name__} must define base_name")

    @property
    def primitive_name(self) -> str:
        """Emitted name of the function, which includes a working interval that is shorter than the default."""
        if self.upper == WORKING_INTERVAL:
            return self.base_name
        return f"{self.base_name}_to_{self.upper.p}_{self.upper.q}"

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        base, _, derivative = self.base_name.partition("_")
        index = base[1:] + (f",{derivative}" if derivative else "")
        text = rf"{base[0]}_{{{index}}}\left({printer._print(self.argument)}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"


class Stumpff(CoefficientFunction):
    """Stumpff functions and derivatives c_{k,m}(z) = (2 d/dz)^m Σ_j (-z)^j/(2j+k)!: ``Stumpff(k, m, z, upper)``."""

    # c_{0,0} = cos ω, c_{1,0} = sin ω/ω, c_{2,0} = (1-cos ω)/ω², c_{3,0} = (ω-sin ω)/ω³.

    nargs = (4,)

    @classmethod
    def of(cls, k: int, z: Expr, upper: Rational = WORKING_INTERVAL) -> Stumpff:
        """Return c_k(z) with its working interval."""
        return cls(Integer(k), Integer(0), z, upper)

    @property
    def base_name(self) -> str:
        k, m = self.args[0], self.args[1]
        return f"c{k}" + (f"_{m}" if m else "")

    def fdiff(self, argindex: int = 3) -> Expr:
        k, m, z, upper = self.args
        return Stumpff(k, m + 1, z, upper) / 2

    @staticmethod
    def series_coefficient(k: int, m: int, j: int) -> Rational:
        """Return the coefficient of z^j, an exact rational."""
        factorial = sympy.factorial
        sign = -1 if (j + m) % 2 else 1
        return Rational(sign * 2**m * factorial(j + m), factorial(j) * factorial(2 * j + 2 * m + k))


class Cotangent(CoefficientFunction):
    """Coefficients of T⁻¹, g_m(z) = (2 d/dz)^m (1-(ω/2) cot(ω/2))/ω², with poles at z = (2πn)²: ``Cotangent(m, z,
    upper)``."""

    nargs = (3,)

    @classmethod
    def of(cls, z: Expr, upper: Rational = WORKING_INTERVAL) -> Cotangent:
        """Return g_0(z) with its working interval."""
        return cls(Integer(0), z, upper)

    @property
    def base_name(self) -> str:
        return f"g{self.args[0]}"

    def fdiff(self, argindex: int = 2) -> Expr:
        m, z, upper = self.args
        return Cotangent(m + 1, z, upper) / 2

    @staticmethod
    def series_coefficient(m: int, j: int) -> Rational:
        """Return the coefficient of z^j, an exact rational."""
        factorial = sympy.factorial
        k = j + m + 1
        return 2**m * factorial(j + m) / factorial(j) * abs(sympy.bernoulli(2 * k)) / factorial(2 * k)


class HalfAngleRatio(sympy.Function):
    """Factor L(w, n) = 2 atan(√n/w)/√n of the quaternion logarithm θ = L(w, |v|²) v; 2/w at n = 0."""

    # Principal value: p and -p are the same rotation, and |θ| ≤ π. Opaque: D log = T⁻¹ is a rule of the group, so no
    # derivative of atan is ever taken.

    nargs = (2,)
    primitive_name = "half_angle_ratio"

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        return rf"L\left({printer._print(self.args[0])}, {printer._print(self.args[1])}\right)"


class FullAngleRatio(sympy.Function):
    """F(w, n) = 2 atan2(√n, w)/√n, so that F(p₀, |v|²) v is a rotation vector up to the length 2π; 2/|w| at n = 0."""

    # Unlike `HalfAngleRatio` it distinguishes p from -p, so a rotation vector does not jump at the angle π. Opaque as
    # well.

    nargs = (2,)
    primitive_name = "full_angle_ratio"

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        return rf"F\left({printer._print(self.args[0])}, {printer._print(self.args[1])}\right)"


class AngleExcess(sympy.Function):
    """(φ/sin φ - 1)/(2 z) with z = sin²(φ/2) and φ/sin φ = asin(√z)/√(z (1 - z)), for 0 ≤ φ < π; 1/3 at z = 0."""

    # Smooth where elements are near to each other, where it needs neither a root nor a division. Opaque as well.

    nargs = (1,)
    primitive_name = "angle_excess"


class RotationQuaternion(sympy.Function):
    """Component k of the unit quaternion of a rotation matrix, accurate up to the angle π; ``RotationQuaternion(k, R11,
    R12, …, R33)``."""

    # From the largest of (tr R, R11, R22, R33); the scalar component is not negative. Source: [Shepperd1978], the
    # choice of the pivot.

    nargs = (10,)
    primitive_name = "rotation_quaternion"


class PiecewiseLinear(sympy.Function):
    """Linear interpolation of a table of parameters, constant outside of it; ``PiecewiseLinear(x, first_abscissa,
    first_value, count)``."""

    # The symbols are the first of ``count`` consecutive parameters each; the abscissae increase.

    nargs = (4,)
    primitive_name = "interpolate"

    def fdiff(self, argindex: int = 1) -> Expr:
        # Derivatives by the table are not those by its first symbols; see symlie/derive/matrices/sensitivities.py.
        return PiecewiseSlope(*self.args) if argindex == 1 else Integer(0)


class PiecewiseSlope(sympy.Function):
    """Slope of `PiecewiseLinear`: of the interval to the right at a kink, zero outside of the table."""

    nargs = (4,)
    primitive_name = "interpolate_slope"

    def fdiff(self, argindex: int = 1) -> Expr:
        return Integer(0)


MAX_DEGREE = 5
"""Largest degree of the polynomials of a run-time table."""


class RunTimeInput(sympy.Function):
    """Derivative of a component of a run-time piecewise polynomial; zero without a table."""

    # ``RunTimeInput(x, slot, component, derivative, smoothness)``: the symbol is the first of the table's three slots
    # among the parameters; in element types, slot and component may be instance data, which choose an input of the
    # model for each instance. The derivative counts from 0. The result has ``smoothness`` continuous derivatives for
    # all tables; it may jump if that is -1. At a knot derivatives are those to the right.

    nargs = (5,)
    primitive_name = "input"

    @classmethod
    def of(cls, x: Expr, slot: Symbol, component: int | Symbol, smoothness: int = -1) -> RunTimeInput:
        """Return the value of a table at x."""
        return cls(x, slot, component, Integer(0), Integer(smoothness))

    @property
    def slot(self) -> Expr:
        """First slot of the table."""
        return self.args[1]

    @property
    def smoothness(self) -> int:
        """Number of continuous derivatives for all tables; -1 if the function may jump."""
        return int(self.args[4])

    def __getitem__(self, index: object) -> Expr:
        name = str(self.args[1]).partition("[")[2].rpartition(",")[0]
        raise ModelError(f"'{name}' has one component; write it without [{index}].")

    __iter__ = None

    def fdiff(self, argindex: int = 1) -> Expr:
        x, slot, component, derivative, smoothness = self.args
        if derivative == MAX_DEGREE or argindex > 1:
            return Integer(0)
        return RunTimeInput(x, slot, component, derivative + 1, Integer(max(int(smoothness) - 1, -1)))

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        x, slot, component, derivative, _ = self.args
        order = "" if derivative == 0 else "'" * int(derivative) if derivative < 4 else rf"^{{({derivative})}}"
        index = "" if isinstance(component, Symbol) else rf"_{{{component + 1}}}"
        text = rf"{printer._print(slot)}{index}{order}\left({printer._print(x)}\right)"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


def smoothness(table: PiecewiseLinear | PiecewiseSlope | RunTimeInput) -> int:
    """Return the number of continuous derivatives of a table; -1 if it may jump."""
    if isinstance(table, RunTimeInput):
        return table.smoothness
    return 0 if isinstance(table, PiecewiseLinear) else -1


class NearestTurn(sympy.Function):
    """Multiple of 2π nearest to x: piecewise constant, so its derivative is zero."""

    nargs = (1,)

    def fdiff(self, argindex: int = 1) -> Expr:
        return Integer(0)

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        text = rf"2 \pi \left\lfloor \frac{{{printer._print(self.args[0])}}}{{2 \pi}} \right\rceil"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


class Select(sympy.Function):
    """Choice of one of two expressions by the sign of a third, ``Select(condition, if_positive, otherwise)``."""

    # Derivatives are taken branch by branch; an unselected branch may be infinite or NaN.

    nargs = (3,)

    @classmethod
    def eval(cls, condition: Expr, if_positive: Expr, otherwise: Expr) -> Expr | None:
        """Simplify equal branches and numeric conditions, which need no choice."""
        if if_positive == otherwise:
            return if_positive
        if condition.is_Number and condition.is_finite:
            return if_positive if condition > 0 else otherwise
        return None

    def _eval_derivative(self, s: Symbol) -> Expr:
        # SymPy's chain rule by arguments would multiply an unselected branch as 0·∞.
        condition, if_positive, otherwise = self.args
        return Select(condition, if_positive.diff(s), otherwise.diff(s))

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        condition, *pieces = (str(printer._print(a)) for a in self.args)
        # In parentheses, because it may be a factor. Markdown needs one row per line, and "- " begins a list.
        first, second = ("-" + p[2:] if p.startswith("- ") else p for p in pieces)
        rows = (rf"{first} & \text{{if }} {condition} > 0", rf"{second} & \text{{otherwise}}")
        text = "\\left(\\begin{cases}\n" + " \\\\\n".join(rows) + "\n\\end{cases}\\right)"
        return text if exp is None else f"{text}^{{{exp}}}"


def evaluate(base_name: str, z: mpmath.mpf) -> mpmath.mpf:
    """Evaluate c_{k,m} or g_m at z ≥ 0, with z < 4π² for g_m, in the current mpmath precision."""
    # From the Taylor series of the definitions; the g_m from the closed form of their partial fractions and its
    # derivatives.
    family, _, suffix = base_name.partition("_")
    index, m = int(family[1:]), int(suffix or 0)
    if family[0] == "c":
        return _stumpff_value(index, m, z)
    return _cotangent_value(index, z)


def _stumpff_value(k: int, m: int, z: mpmath.mpf) -> mpmath.mpf:
    with mpmath.extradps(30 + int(mpmath.sqrt(abs(z)))):
        z = mpmath.mpf(z)
        j, total = 0, mpmath.mpf(0)
        tolerance = mpmath.mpf(10) ** (-mpmath.mp.dps)
        while True:
            coefficient = Stumpff.series_coefficient(k, m, j)
            term = mpmath.mpf(int(coefficient.p)) / int(coefficient.q) * z**j
            total += term
            if j > abs(z) and abs(term) < tolerance:
                return total
            j += 1


def _cotangent_value(m: int, z: mpmath.mpf) -> mpmath.mpf:
    # g_m = 2^(m+1) m! Σ_n (4π²n² - z)^-(m+1); the first terms are summed directly, the tail by its Taylor series.
    with mpmath.extradps(20):
        z = mpmath.mpf(z)
        pole = 4 * mpmath.pi**2
        head = sum((pole * n * n - z) ** (-m - 1) for n in range(1, 5))
        tail = mpmath.mpf(0)
        j = 0
        while True:
            zeta = mpmath.zeta(2 * (m + 1 + j)) - sum(mpmath.mpf(n) ** (-2 * (m + 1 + j)) for n in range(1, 5))
            term = mpmath.binomial(m + j, j) * z**j / pole ** (m + 1 + j) * zeta
            tail += term
            if abs(term) < mpmath.mpf(10) ** (-mpmath.mp.dps):
                break
            j += 1
        return 2 ** (m + 1) * mpmath.factorial(m) * (head + tail)
