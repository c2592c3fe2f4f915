"""Statistics over members: against NumPy, to the same bits from any chunks, and on groups."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.ensembles.statistics import RunningStatistics
from symlie.errors import ModelError, OutsideChartError, UnknownNameError
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.ensembles.test_ensemble import COUNT, drawn, tops
from tests.systems import heavy_top_system

ALL = ("mean", "std", "min", "max")


def results_of(members: Array, values: Array) -> MemberResults:
    """Results of members that are well."""
    count, none = len(members), np.zeros(0, dtype=np.int64)
    zero, texts = np.zeros(count, dtype=np.int64), ("",) * count
    status = np.full(count, MemberStatus.OK, dtype=np.int8)
    told = (members, {"x": values}, status, texts, texts, zero, zero, zero.astype(float), zero.astype(float))
    return MemberResults(*told, (), none, none, none, np.zeros(0))


@given(
    cuts=st.lists(st.integers(0, 40), max_size=6), order=st.randoms(use_true_random=False), shift=st.floats(-1e6, 1e6)
)
def test_chunks_and_their_order_do_not_matter(cuts: list[int], order: Random, shift: float) -> None:
    values = shift + np.random.default_rng(0).normal(size=(40, 3))
    values[7, 1] = np.nan
    edges = sorted({0, 40, *cuts})
    parts = [results_of(np.arange(a, b), values[a:b]) for a, b in itertools.pairwise(edges)]
    order.shuffle(parts)
    whole, cut = RunningStatistics({"x": (3,)}), RunningStatistics({"x": (3,)})
    whole.add(results_of(np.arange(40), values))
    for part in parts:
        cut.add(part)
    one, other = whole.values(ALL)["x"], cut.values(ALL)["x"]
    assert all(one[name].tobytes() == other[name].tobytes() for name in (*ALL, "count"))
    expected = {
        "mean": np.nanmean(values, axis=0),
        "std": np.nanstd(values, axis=0, ddof=1),
        "min": np.nanmin(values, axis=0),
        "max": np.nanmax(values, axis=0),
    }
    for name, numbers in expected.items():
        np.testing.assert_allclose(one[name], numbers, rtol=0, atol=tolerances.RECURRENCE * max(1.0, abs(shift)))
    assert one["count"].tolist() == [40, 39, 40]


def test_statistics_in_place_of_values() -> None:
    stored, kept = tops(), tops(statistics=ALL, workers=2)
    assert "energy" not in kept.arrays and (kept.arrays["status"] == 0).all()
    for name in ("energy", "center_of_mass"):
        values, found = stored.arrays[name], kept.statistics[name]
        allowed = tolerances.RECURRENCE * np.abs(values).max()
        np.testing.assert_allclose(found["mean"], values.mean(axis=0), rtol=0, atol=allowed)
        np.testing.assert_allclose(found["std"], values.std(axis=0, ddof=1), rtol=0, atol=allowed)
        assert np.array_equal(found["min"], values.min(axis=0)) and np.array_equal(found["max"], values.max(axis=0))
        assert (found["count"] == COUNT).all()


def test_members_that_fail_are_not_counted() -> None:
    masses = np.full(COUNT, 15.0)
    masses[3] = np.nan
    kept = tops(parameters={"mass": masses}, statistics=["mean"])
    assert (kept.statistics["energy"]["count"] == COUNT - 1).all() and np.isfinite(
        kept.statistics["energy"]["mean"]
    ).all()


def about(R: Array) -> Array:
    """Rotation vectors."""
    return Rotation.from_matrix(R).as_rotvec()


@pytest.mark.parametrize("group", ["SO3", "S3", "SO3xR3"])
def test_means_are_on_the_group(group: str) -> None:
    masses, rates = drawn()
    result = sl.ensemble(
        heavy_top_system(group),
        0.01,
        parameters={"mass": masses},
        initial={"top": {"Omega": rates}},
        h=1e-3,
        record_every=5,
        record=["top", "rotation"],
    )
    found = result.on_group("top")
    R = result.arrays["rotation"].reshape(COUNT, 3, 3, 3)
    mean = found.mean["R"] if "R" in found.mean else Rotation.from_quat(found.mean["p"], scalar_first=True).as_matrix()
    for k in range(3):
        theta = np.array([about(mean[k].T @ R[m, k]) for m in range(COUNT)])
        assert np.abs(theta.mean(axis=0)).max() <= tolerances.LIBRARY
        np.testing.assert_allclose(found.deviations[:, k, :3], theta, rtol=0, atol=tolerances.LIBRARY)
        np.testing.assert_allclose(
            found.std[k, :3], np.sqrt((theta**2).sum(axis=0) / (COUNT - 1)), rtol=0, atol=tolerances.LIBRARY
        )
        np.testing.assert_allclose(mean[k] @ mean[k].T, np.eye(3), atol=tolerances.LIBRARY)


def test_bad_input() -> None:
    with pytest.raises(UnknownNameError, match="Unknown statistic 'median'"):
        tops(statistics=["median"])
    with pytest.raises(ModelError, match=r"'top.R' is on a group"):
        tops(statistics=["mean"], record=["top.R"])
    with pytest.raises(ModelError, match="give one of them"):
        tops(statistics=["mean"], store="nowhere")
    with pytest.raises(ModelError, match="record 'top'"):
        tops(record=["energy"]).on_group("top")
    turned = sl.attitudes(np.array([[0, 0, 0], [3.0, 0, 0], [-3.0, 0, 0]]))
    spread = sl.ensemble(heavy_top_system("SO3"), 0.001, initial={"top": {"rotation": turned}}, h=1e-3, record=["top"])
    with pytest.raises(OutsideChartError, match="quarter of a turn"):
        spread.on_group("top")
