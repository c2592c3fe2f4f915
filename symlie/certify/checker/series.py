"""Independent bounds of the truncation errors of Taylor series of matrix functions, in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

from symlie.certify.checker.arithmetic import CertificateError, index, rational

STATUS = "truncation proved, rounding unproved"

PI_BELOW = Fraction(314159, 100000)


def _exponential_rest(x: Fraction, n: int, shift: int = 0) -> Fraction:
    """Return an upper bound of Σ_{k≥n} x^k/(k + shift)!, with term ratios of at most x/(n + shift + 1)."""
    if n + shift < x:
        raise CertificateError("A series of a matrix function ends before its terms decrease.")
    return x**n / factorial(n + shift) / (1 - x / (n + shift + 1))


def _exponential(x: Fraction) -> Fraction:
    return sum((x**k / factorial(k) for k in range(40)), Fraction(0)) + _exponential_rest(x, 40)


def _sum_of_fractions(r: Fraction) -> Fraction:
    """Return an upper bound of Σ |B_2k|/(2k)! r^{2k} = 2 r² Σ_n 1/(4π²n² - r²), by an integral beyond n = 1000."""
    square = 4 * PI_BELOW**2
    upwards: int = sum(-(-(2**80) // (square * n * n - r * r)) for n in range(1, 1001))
    return 2 * r * r * (Fraction(upwards, 2**80) + 1 / (square * 999))


def truncation(name: str, degree: int, norm: Fraction) -> Fraction:
    """Return a bound of the relative truncation error of a series of this degree for matrices up to a norm."""
    if name in ("scaled_phi1", "artanh"):
        return _scaled(name, degree, norm)
    if not 0 < norm <= 6:
        raise CertificateError(f"{name}: the series are specified for norms up to 6.")
    if name == "exp":
        x = norm / 4
        factor = 1 + _exponential(x) * _exponential_rest(x, degree + 1)
        return factor * factor * factor * factor - 1
    if name == "phi1":
        return (1 + norm / 2 + _sum_of_fractions(norm)) * _exponential_rest(norm, degree + 1, 1)
    if name == "phi1_inverse":
        ratio = (norm / (4 * PI_BELOW)) ** 2
        return (_exponential(norm) - 1) / norm * 4 * ratio ** (degree + 2) / (1 - ratio)
    raise CertificateError(f"{name} is not a matrix function that this checker supports.")


def _scaled(name: str, degree: int, norm: Fraction) -> Fraction:
    """Return the relative change of A in the scaled exponential, or the relative error of the logarithm by artanh."""
    # With E = 1 + A p(A) = e^A - R, log E = A + log(1 - e^-A R), and |log(1 - y)| ≤ y/(1 - y). All terms of this series
    # contain a power of A above the degree, so scaling and doubling preserve its size relative to A.
    if not 0 < norm <= 1:
        raise CertificateError(f"{name}: the series are specified for norms up to 1.")
    if name == "artanh":
        square = norm**2
        rest = square ** (degree + 1) / (2 * degree + 3) / (1 - square)
        return rest / (1 - square / 3 / (1 - square))
    change = _exponential(norm) * _exponential_rest(norm, degree + 2)
    return change / (1 - change) / norm


def check_series(entry: dict[str, Any]) -> None:
    """Check the bound of one matrix function, or raise `CertificateError`."""
    found = truncation(entry["name"], index(entry["degree"]), rational(entry["norm"]))
    if found * 2**52 > rational(entry["truncation_eps"]):
        raise CertificateError(f"{entry['name']}: the bound on the truncation error of its series is not reproducible.")
