"""Contacts, friction, released constraints and unwrapped angles in exported C and functional mock-up units."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import symlie as sl
from symlie.export.fmu.modes import modes as discrete_states
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.export.programs import COMPILERS, EXACT, SANITIZERS, exported, last_state, results
from tests.export.test_fmu import TARGETS
from tests.export.units import simulated
from tests.runtime import test_contacts as contacts
from tests.runtime import test_event_changes as changes
from tests.runtime import test_friction as friction

if not COMPILERS:
    pytest.skip("the warnings are those of gcc and clang, and neither is installed", allow_module_level=True)

pytestmark = [pytest.mark.export, pytest.mark.filterwarnings("ignore:Contact floor of")]


class Case(NamedTuple):
    """A system, its end time in s, and the tolerance of states that another program integrates."""

    system: Callable[[], System]
    end: float
    tolerance: float = tolerances.EXCHANGED_IMPACTS


CASES: dict[str, Case] = {
    "thrown ball": Case(lambda: contacts.thrown("c"), 2.0, tolerances.EXCHANGED_ACCUMULATION),
    "trebuchet": Case(lambda: changes.trebuchet("c"), 0.75),
    "gantry": Case(lambda: friction.gantry("c").with_parameters(wind=150.0), 2.0),
    "ball": Case(lambda: contacts.bouncing("c"), 2.0),
    "pendulum": Case(lambda: contacts.pendulum("c"), 2.0),
    "rolling ball": Case(lambda: contacts.rolling("c"), 1.0),
    "spring": Case(lambda: contacts.block_on_spring("c"), 2.0),
    "cradle": Case(lambda: contacts.cradle("c"), 2.0),
    "carts": Case(lambda: changes.carts("c"), 3.0),
    "clutch": Case(lambda: friction.clutch("c"), 4.0),
    "bead": Case(lambda: friction.bead("c"), 20.0),
    "pin": Case(lambda: friction.pendulum("c", is_plane=False), 2.0),
}
"""The first three contain all features: impacts that accumulate, slip in two directions, sticking, a release, friction
of a joint and an unwrapped angle."""

FIRST = list(CASES)[:3]
H = 2.0**-6


def check_bits(case: str, folder: Path, compiler: str, options: tuple[str, ...]) -> None:
    system, end = CASES[case].system(), CASES[case].end
    exported(system, folder, h=H)
    (found,) = results(folder, f"status = p_advance(&s, &p, {end}, {H!r}); show(&s);", compiler, options)
    np.testing.assert_array_equal(found, last_state(sl.solve(system, end, h=H, t_eval=[end])))


def test_contacts_in_c_have_the_bits_of_solve(tmp_path: Path) -> None:
    check_bits("thrown ball", tmp_path, COMPILERS[-1], EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("options", [EXACT, (*EXACT, *SANITIZERS)], ids=["exact", "sanitizers"])
@pytest.mark.parametrize("case", CASES)
def test_all_contacts_in_c_have_the_bits_of_solve(case: str, options: tuple[str, ...], tmp_path: Path) -> None:
    check_bits(case, tmp_path, COMPILERS[0], options)


@functools.cache
def needs_fmpy() -> Any:
    """FMPy, or a skipped test."""
    if not shutil.which("gcc"):
        pytest.skip("binaries of units are compiled by gcc, which is not installed")
    return pytest.importorskip("fmpy", reason="units are tested in FMPy, which is not installed")


def node_names(file: Path) -> list[str]:
    """Names of the variables of configurations and velocities of nodes, node by node."""
    described = needs_fmpy().read_model_description(str(file))
    words = [f"{word} " for word in ("configuration", "velocity")]
    return [v.name for v in described.modelVariables if v.description.startswith(tuple(words))]


def node_values(system: System, solution: Solution) -> Array:
    """Their values at the end of a run."""
    q, v = solution.q[-1], solution.v[-1]
    return np.concatenate([x for n in system.layout.nodes for x in (q[n.storage], v[n.velocity])])


def check_unit(case: str, folder: Path, version: int) -> None:
    """CVode integrates the states of a unit as `solve` does, and the unit has the bits of `solve` in co-simulation."""
    fmpy = needs_fmpy()
    system, end, tolerance = CASES[case].system(), CASES[case].end, CASES[case].tolerance
    file = system.export(TARGETS[version], folder / "unit.fmu", kind="both", h=H)
    assert fmpy.validation.validate_fmu(str(file)) == []
    names = node_names(file)
    described = fmpy.read_model_description(str(file))
    modes = [v.name for v in described.modelVariables if v.variability == "discrete"]
    assert modes
    told = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-10, "output_interval": 1e-2}
    rows = fmpy.simulate_fmu(str(file), output=[*names, *modes], stop_time=end, timeout=60, **told)
    last = rows.tolist()[-1]
    assert abs(last[0] - end) < 1e-9
    solution = sl.solve(system, end, rtol=1e-12, t_eval=[end])
    found = np.concatenate([np.ravel(x) for x in last[1 : 1 + len(names)]])
    np.testing.assert_allclose(found, node_values(system, solution), rtol=0, atol=tolerance)
    is_switch = [name.endswith((".closed", ".sticks", ".in_force")) for name in modes]
    variables = {name: place for name, _, place, _ in discrete_states(system.layout)}
    for name, value, is_known in zip(modes, last[1 + len(names) :], is_switch, strict=True):
        if is_known:
            assert value == solution.q[-1, variables[name]]
    step = 0.25
    points = [step * k for k in range(1, round(end / step) + 1)]
    stepped = simulated(file, names, stop_time=end, step_size=step, output_interval=step)
    fixed = sl.solve(system, end, h=H, t_eval=points)
    np.testing.assert_array_equal(stepped[-1, 1:], node_values(system, fixed))


@pytest.mark.parametrize(("case", "version"), list(zip(FIRST, (3, 2, 3), strict=True)))
def test_units_with_contacts_agree_with_solve(case: str, version: int, tmp_path: Path) -> None:
    check_unit(case, tmp_path, version)


@pytest.mark.slow
@pytest.mark.parametrize("version", (2, 3))
@pytest.mark.parametrize("case", CASES)
def test_all_units_with_contacts_agree_with_solve(case: str, version: int, tmp_path: Path) -> None:
    check_unit(case, tmp_path, version)
