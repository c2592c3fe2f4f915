"""The Newton matrix of implicit steps is the derivative of their residual."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import pytest

import symlie as sl
from symlie.models import pendulum_chain
from symlie.runtime.implicit.implicit_step import ImplicitStep
from symlie.runtime.implicit.iteration_matrix import MatrixParts, Slopes
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests.runtime.test_dependent_nodes import located
from tests.runtime.test_explicit_methods import shaken
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_nonlinear_velocities import perpendicular
from tests.systems import heavy_top_system, spaghetti_system
from tests.tolerances import NEWTON_DIFFERENCE

H = 2.0**-6

SYSTEMS: dict[str, Callable[[str], System]] = {
    "free": lambda backend: heavy_top_system("S3", backend),
    "constrained": lambda backend: heavy_top_system("S3xR3", backend),
    "rod": spaghetti_system,
    "prescribed": shaken,
    "fields": steered,
    "nonholonomic": perpendicular,
    "offsets": lambda backend: pendulum_chain.build(2).derive().compile(backend=backend),
    "momenta": lambda backend: pendulum_chain.build(2, "hamiltonian").derive().compile(backend=backend),
    "dependent bodies": lambda backend: located("double_pendulum", backend),
    "loop of dependent bodies": lambda backend: located("closed_loop", backend),
}


class Formula:
    """v = γ' w and v̇ = β' w + constant, with rates δ' w of first-order states."""

    sees_end: ClassVar[bool] = False
    span = 1.0
    offset: Array | float = 0.0
    slopes = Slopes(1 / H, 3 / H**2, 1.5 / H)

    def __init__(self, system: System, offset: Array) -> None:
        self._moves, self._offset = system.layout.has_velocity, offset

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """v and v̇."""
        v, acceleration, rate = (slope * w for slope in self.slopes)
        return np.where(self._moves, v, 0.0), np.where(self._moves, acceleration + self._offset, rate)


@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("has_eta", [False, True], ids=["index 3", "index 2"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_iteration_matrix_is_the_derivative_of_the_residual(name: str, has_eta: bool) -> None:
    """The solution for the directional derivative of the residual is the direction."""
    system = SYSTEMS[name]("numpy")
    start = sl.solve(system, H, h=H)
    layout, random = system.layout, np.random.default_rng(3)
    has_eta = has_eta and bool(layout.of_velocities.any())
    formula = Formula(system, random.normal(size=layout.dimension))
    parts, memory = MatrixParts(), {}
    step = ImplicitStep(
        system, formula, 0.0, start.q[0], H, has_eta=has_eta, parts=parts, record=np.zeros(0), memory=memory
    )
    unknown = step.guess(H * start.v[-1], start.multipliers[-1])
    has_unknown = np.ones(len(unknown), dtype=bool)
    has_unknown[: layout.dimension] = layout.sought
    if has_eta:
        has_unknown[-layout.rows :] = layout.holonomic
    unknown = unknown + np.where(has_unknown, 1e-3 * random.normal(size=len(unknown)), 0.0)
    step.residual(unknown)
    step.refresh()
    for _ in range(3):
        # λ has the size of β' times θ in the equations.
        direction = np.where(has_unknown, random.normal(size=len(unknown)), 0.0)
        direction[layout.dimension : layout.dimension + layout.rows] *= formula.slopes.acceleration
        d = 1e-6 * direction
        change = (step.residual(unknown + d) - step.residual(unknown - d)) / 2e-6
        found = step.correction(change)
        scale = np.abs(direction).max()
        assert np.abs(found - direction).max() < NEWTON_DIFFERENCE * scale
