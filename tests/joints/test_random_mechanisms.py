"""Random mechanisms: C = NumPy = Newton, Euler and rows in 50 digits; energy and drives along their motion.

Mechanism k is drawn from the seed ``mechanism:k``, and one with rolling, friction, gears and racks from ``coupled:k``.
"""

from __future__ import annotations

import warnings

import mpmath
import numpy as np
import pytest

import symlie as sl
from tests import tolerances
from tests.derive.matrices import DIGITS
from tests.joints.mechanisms import Definition, Mechanism, found_by, motion, random_mechanism

COUNT, COUPLED, PARTS, COMPILED = 500, 200, 20, 10
"""Mechanisms, coupled ones, tests that they are spread over, and which share of them is compiled."""

QUICK = (2,)
"""Mechanisms that quick tests take: two bodies with a drive."""

QUICK_COUPLED = 122
"""A coupled one: two hinges with a gear and friction, and a disk."""

STEPS, STEP = 20, 1e-3


def judge(number: int, *, compiled: bool, coupled: bool = False) -> list[str]:
    """Disagreements in a mechanism."""
    seed = f"{'coupled' if coupled else 'mechanism'}:{number}"
    found = random_mechanism(seed, coupled=coupled)
    equations = found.model.derive()
    system = equations.compile(backend="numpy")
    draw = np.random.default_rng(number)
    q0, layout = system.mechanics.with_start_angles(0.0, system.stated_state().q), system.layout
    u, v, w = draw.uniform(-1, 1, (3, layout.dimension))
    q = system.mechanics.with_angles(0.0, system.kernels.normalize(system.kernels.advance(q0, u)))
    with mpmath.workdps(DIGITS):
        expected = Definition(found, system, q, v).expected(w)
    backends = {"NumPy": system, **({"C": equations.compile(backend="c")} if compiled else {})}
    wrong = []
    for label, of in backends.items():
        values = found_by(of, expected, q, v, w)
        for name, exact in expected.items():
            error = float(np.abs(values[name] - exact).max(initial=0))
            if not error <= tolerances.MECHANISM * max(1.0, float(np.abs(exact).max(initial=0))):
                wrong.append(f"{seed} {name} in {label}: {error:.3g}")
    return wrong + _motion(seed, found, system)


def _motion(seed: str, found: Mechanism, system: sl.System) -> list[str]:
    """Constraints hold at the start, energy is conserved or dissipated, drives are followed."""
    redundant = "minimal_norm" if system.mobility().redundant else "error"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SymlieWarning)  # on the rank of redundant rows
        solution = sl.solve(
            system, STEPS * STEP, h=STEP, method="half_explicit_5", stabilize="projection", redundant=redundant
        )
    wrong = []
    if found.driven:
        coordinate = solution.outputs[found.driven]
        off = np.abs(coordinate - coordinate[0] - motion(solution.t)).max()
        if not off <= tolerances.HELD_CONSTRAINT:
            wrong.append(f"{seed} misses its drive by {off:.3g}")
    else:
        energy = solution.outputs["energy"]
        scale = max(1.0, float(np.abs(energy).max()))
        gained = np.diff(energy).max() if found.frictions else np.ptp(energy)
        if not gained <= tolerances.MECHANISM_ENERGY * scale:
            wrong.append(f"{seed} changes its energy by {gained:.3g} of {scale:.3g}")
    return wrong


@pytest.mark.parametrize("number", QUICK)
def test_random_mechanisms_satisfy_their_constraints(number: int) -> None:
    assert judge(number, compiled=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_five_hundred_mechanisms_satisfy_their_constraints(part: int) -> None:
    share = COUNT // PARTS
    wrong = [w for k in range(part * share, (part + 1) * share) for w in judge(k, compiled=k % COMPILED == 0)]
    assert wrong == []


@pytest.mark.slow
def test_coupled_mechanisms_satisfy_their_constraints() -> None:
    assert judge(QUICK_COUPLED, compiled=False, coupled=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_two_hundred_coupled_mechanisms_satisfy_their_constraints(part: int) -> None:
    numbers = range(part * COUPLED // PARTS, (part + 1) * COUPLED // PARTS)
    assert [w for k in numbers for w in judge(k, compiled=k % COMPILED == 0, coupled=True)] == []
