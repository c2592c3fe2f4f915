"""Every explicit method on three systems of the survey: orders over the finest two halvings."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import symlie as sl
from symlie.models import heavy_top, pendulum_chain, quadrotors
from symlie.runtime.methods.library import method, method_names
from tests.tolerances import ORDER

STEPS = {
    "quadrotors": {1: 100, 2: 80, 3: 60, 4: 40, 5: 30, 6: 12},
    "heavy_top": {1: 1000, 2: 400, 3: 300, 4: 150, 5: 100, 6: 50},
    "pendulum": {1: 200, 2: 100, 3: 80, 4: 50, 5: 40, 6: 20},
}
"""Largest number of steps by order, where errors fall like a power and are above round-off."""

END = {"quadrotors": 1.0, "heavy_top": 0.1, "pendulum": 1.0}
LEFT_OUT = (
    "half_explicit", "symplectic", "adams_bashforth", "bdf", "bdf_variable", "bdf_increments", "variational", "taylor",
)  # fmt: skip
"""Families for systems with velocities, or in R(n), and series, whose steps at any of these orders end at round-off."""
METHODS = [n for n in method_names() if method(n).family not in LEFT_OUT]
CASES = [(n, s) for n in METHODS for s in STEPS if method(n).family != "generalized_alpha" or s != "pendulum"]
"""Methods with supported systems: implicit ones reject dependent nodes."""


@functools.cache
def system(name: str) -> sl.System:
    """A system, ready to run."""
    if name == "quadrotors":
        return quadrotors.build().derive().compile()
    if name == "heavy_top":
        return heavy_top.build(formulation="se3_dual").derive().compile()
    start = {"directions": [0.6, 0, 0.8], "angular_velocities": [0.8, 3, -0.6]}
    return pendulum_chain.build(links=1).derive().compile().with_initial("links", **start)


@functools.cache
def end_of(name: str, method_name: str, steps: int) -> np.ndarray:
    """The states of the first node at the end."""
    part = system(name).layout.nodes[0].storage
    return sl.solve(system(name), END[name], method=method_name, h=END[name] / steps, t_eval=[END[name]]).q[-1, part]


@pytest.mark.slow
@pytest.mark.parametrize(("method_name", "name"), CASES)
def test_methods_have_their_declared_order(method_name: str, name: str) -> None:
    order = method(method_name).order
    known = end_of(name, "rkmk_rk67", {"quadrotors": 400, "heavy_top": 3000, "pendulum": 800}[name])
    errors = [np.linalg.norm(end_of(name, method_name, k * STEPS[name][order]) - known) for k in (1, 2, 4)]
    assert min(np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])) > order - ORDER
