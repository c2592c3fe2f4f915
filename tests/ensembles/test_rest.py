"""Members at rest: equilibria and modes by name, and load paths along a dimension."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.ensembles.results import MemberStatus
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.system.system import System
from tests import tolerances

STIFFNESS, HALF, RISE = 100.0, 1.0, 0.3


@functools.cache
def truss() -> System:
    """A shallow arch of two springs that snaps through: V = k (√(1 + y²) - L)² + P y."""
    model = sl.Model("shallow_arch")
    q = model.node("crown", "R1")
    load, rise = model.parameter("load", 0.0, unit="N"), model.parameter("rise", RISE, unit="m")
    y = q.x[0]
    length, whole = sl.sqrt(HALF**2 + y**2), sl.sqrt(HALF**2 + rise**2)
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(STIFFNESS * (length - whole) ** 2 + load * y)
    model.initial(q, x=[RISE], x_dot=[0])
    return model.derive().compile(backend="numpy")


def force(y: float) -> float:
    """The load that holds the crown at a height."""
    length = np.hypot(HALF, y)
    return float(-2 * STIFFNESS * (length - np.hypot(HALF, RISE)) * y / length)


def rest(**words: Any) -> sl.Ensemble:
    return sl.ensemble(truss(), 0.0, of="equilibrium", record=["crown"], **words)


def test_equilibria_equal_those_of_single_members() -> None:
    heights = np.array([0.28, 0.25, 0.22])
    loads = np.array([force(y) for y in heights])
    result = rest(parameters={"load": loads})
    np.testing.assert_allclose(result.arrays["crown.x"][:, 0], heights, rtol=0, atol=tolerances.FOUND_EQUILIBRIUM)
    for k, load in enumerate(loads):
        alone = truss().with_parameters(load=load).static_equilibrium()
        assert result.arrays["crown.x"][k].tobytes() == alone.q.tobytes() == result.member(k).q.tobytes()
        assert result.arrays["steps"][k] == alone.iterations


def test_modes_equal_those_of_single_members() -> None:
    rises = np.array([0.2, 0.3, 0.4])
    result = sl.ensemble(truss(), 0.0, of="modes", modes=1, parameters={"rise": rises}, initial={"crown": {"x": rises}})
    expected = np.sqrt(2 * STIFFNESS * rises**2 / (HALF**2 + rises**2)) / (2 * np.pi)
    np.testing.assert_allclose(result.arrays["frequencies"][:, 0], expected, rtol=0, atol=tolerances.FOUND_EQUILIBRIUM)
    np.testing.assert_allclose(result.arrays["damping_ratios"], 0, atol=tolerances.LIBRARY)
    assert result.dataset["frequencies"].attrs["units"] == "Hz"
    member = result.member(1)
    assert isinstance(member, sl.Linearization) and member.is_stable


@pytest.mark.slow
def test_load_path_reports_folds() -> None:
    """Up to the limit load members follow each other; beyond it the arch has snapped through."""
    limit = max(force(y) for y in np.linspace(0.05, RISE, 1000))
    loads = limit * np.array([0.2, 0.5, 0.8, 0.95, 1.1, 1.2])
    result = rest(parameters={"load": loads}, along="member")
    assert (result.arrays["status"] == MemberStatus.OK).all()
    (told,) = result.remarks
    assert told.member == 4 and "folds between member 3 and this one" in told.sentence
    assert repr(result.remarks) == f"4: {told.sentence}"
    heights = result.arrays["crown.x"][:, 0]
    assert (heights[:4] > 0.1).all() and (np.diff(heights[:4]) < 0).all()
    alone = [rest(parameters={"load": loads[:k]}, along="member").arrays["crown.x"][-1] for k in (2, 3)]
    assert alone[0].tobytes() == result.arrays["crown.x"][1].tobytes()
    assert alone[1].tobytes() == result.arrays["crown.x"][2].tobytes()


@pytest.mark.slow
def test_grid_lines_are_independent_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from symlie.ensembles import dispatch

    words: dict[str, Any] = {"parameters": {"rise": [0.3, 0.31, 0.29], "load": [0.1, 0.2, 0.3, 0.4]}}
    words |= {"combine": "grid", "along": "load"}
    whole = rest(**words, workers=1)
    monkeypatch.setattr(dispatch, "FIRST_CHUNK", 1)
    monkeypatch.setattr(dispatch, "LARGEST_CHUNK", 1)
    cut = rest(**words, workers=2)
    assert whole.arrays["crown.x"].tobytes() == cut.arrays["crown.x"].tobytes()
    assert dict(whole.dataset.sizes) | {"rise": 3, "load": 4} == dict(whole.dataset.sizes)
    assert whole.member(6).q.tobytes() == whole.arrays["crown.x"][6].tobytes()
    assert not whole.failed and not whole.remarks


def test_unstable_equilibrium_is_reported() -> None:
    result = rest(parameters={"load": [0.0, 0.0]}, initial={"crown": {"x": [[0.0], [0.0]]}}, along="member")
    assert [(m.member, m.sentence) for m in result.remarks] == [(k, "The equilibrium is not stable.") for k in (0, 1)]


@pytest.mark.parametrize(
    ("words", "error", "sentence"),
    [
        ({"of": "buckling"}, UnknownNameError, "Unknown of 'buckling'"),
        ({"h": 0.1}, ModelError, "h applies to simulations"),
        ({"along": "rise"}, ModelError, "last dimension, 'member'"),
        ({"of": "modes", "modes": 0}, ModelError, "positive whole number"),
    ],
)
def test_invalid_input_is_rejected(words: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        sl.ensemble(truss(), 0.0, **{"of": "equilibrium", "parameters": {"load": [1.0, 2.0]}, **words})
    with pytest.raises(ModelError, match="at one time"):
        sl.ensemble(truss(), (0.0, 1.0), of="equilibrium", parameters={"load": [1.0]})
