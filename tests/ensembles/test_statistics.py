"""Statistics over members: compared with NumPy, bit-identical for all chunk sizes, and on groups."""

from __future__ import annotations

import itertools
import re
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.ensembles.group_statistics import GroupStatistics, GroupSums, NodeGroup, statistics_on_group
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.ensembles.statistics import RunningStatistics
from symlie.errors import ModelError, OutsideChartError, UnknownNameError
from symlie.models import roll_up
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.ensembles.test_ensemble import COUNT, TIMES, drawn, tops
from tests.systems import heavy_top_system, swing_system

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
def test_statistics_are_independent_of_chunks(cuts: list[int], order: Random, shift: float) -> None:
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


def test_statistics_replace_values() -> None:
    stored, kept = tops(), tops(statistics=ALL, workers=2)
    assert "energy" not in kept.arrays and (kept.arrays["status"] == 0).all()
    for name in ("energy", "center_of_mass"):
        values, found = stored.arrays[name], kept.statistics[name]
        allowed = tolerances.RECURRENCE * np.abs(values).max()
        np.testing.assert_allclose(found["mean"], values.mean(axis=0), rtol=0, atol=allowed)
        np.testing.assert_allclose(found["std"], values.std(axis=0, ddof=1), rtol=0, atol=allowed)
        assert np.array_equal(found["min"], values.min(axis=0)) and np.array_equal(found["max"], values.max(axis=0))
        assert (found["count"] == COUNT).all()


def test_failed_members_are_not_counted() -> None:
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
def test_means_lie_on_the_group(group: str) -> None:
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


def test_means_about_a_reference_equal_means_of_members() -> None:
    """Up to the third power of the spread, with the same bits from any workers; other quantities are as without one."""
    system, (masses, _) = heavy_top_system("SE3"), drawn()
    words = {"h": 1e-3, "t_eval": TIMES}
    reference = sl.solve(system, 0.05, **words)
    rates = np.array([0, 150, -4.61538]) + np.random.default_rng(1).normal(0, 2, (COUNT, 3))
    given = {"initial": {"top": {"Omega": rates}}, "parameters": {"mass": masses}, "record": ["top", "energy"]}
    stored = tops(system, **given)
    kept, again = (tops(system, **given, statistics=ALL, reference=reference, workers=n, executor=None) for n in (1, 2))
    one, other, expected = kept.on_group("top"), again.on_group("top"), stored.on_group("top")
    assert one.std.tobytes() == other.std.tobytes() and one.mean["R"].tobytes() == other.mean["R"].tobytes()
    assert one.deviations.shape == (0, 3, 6)
    spread = expected.std.max()
    assert 0.05 < spread < 0.3
    for name in ("R", "x"):
        assert np.abs(one.mean[name] - expected.mean[name]).max() < spread**3
    assert np.abs(one.std - expected.std).max() < spread**2
    assert kept.statistics["energy"]["max"].tobytes() == stored.arrays["energy"].max(axis=0).tobytes()
    assert "top.R" not in kept.statistics and "top.Omega" in kept.statistics


def sums_about(members: Array, begin: Array) -> tuple[GroupStatistics, GroupStatistics]:
    """Statistics of attitudes exp(begin)∘exp(member) by sums about the identity, and of all of them."""
    system = heavy_top_system("SO3")
    group = NodeGroup(system, "top")
    values = {"top.R": (Rotation.from_rotvec(begin) * Rotation.from_rotvec(members)).as_matrix()[:, None]}
    sums = GroupSums(group, system.layout.identity[None].astype(float))
    for first, last in ((0, 7), (7, 7), (7, len(members))):
        sums.add({"top.R": values["top.R"][first:last]}, first)
    return sums.statistics(), statistics_on_group(system, values, "top")


def test_errors_about_a_reference_have_their_order() -> None:
    draws = np.random.default_rng(0).normal(size=(200, 3))
    skewed = draws + 0.3 * draws**2
    errors = []
    for size in (0.1, 0.05, 0.025):
        found, expected = sums_about(size * skewed, np.array([0.2, -0.1, 0.3]))
        turned = about(expected.mean["R"][0].T @ found.mean["R"][0])
        errors.append([np.abs(turned).max(), np.abs(found.std - expected.std).max()])
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert (ratios[:, 0] > 2**2.8).all() and (ratios[:, 1] > 2**1.8).all()
    found, expected = sums_about(0.2 * (skewed - skewed.mean(axis=0)), np.zeros(3))
    np.testing.assert_allclose(found.std, expected.std, rtol=0, atol=tolerances.LIBRARY)
    np.testing.assert_allclose(found.mean["R"], expected.mean["R"], rtol=0, atol=tolerances.LIBRARY)


@pytest.mark.slow
def test_equilibrium_poses_are_averaged_about_a_reference() -> None:
    system = roll_up.build(segments=4).derive().compile()
    stiffness = np.linspace(495, 505, 5)
    given: dict[str, Any] = {"parameters": {"bending_stiffness": stiffness}, "of": "equilibrium", "record": ["rod"]}
    # The torque goes with the stiffness: all members are the same circle.
    at_rest = system.with_configuration(system.static_equilibrium().q)
    reference = sl.solve(at_rest, 1e-6, h=1e-6)
    found = sl.ensemble(system, 0, **given, statistics=["mean"], reference=reference).on_group("rod")
    expected = sl.ensemble(system, 0, **given).on_group("rod")
    assert found.std.shape == (1, 5, 6)
    for name in ("p", "x"):
        np.testing.assert_allclose(found.mean[name], expected.mean[name], rtol=0, atol=tolerances.EQUILIBRIUM_OF_A_ROD)


def test_invalid_references_are_reported() -> None:
    system = heavy_top_system("SO3xR3")
    run = sl.solve(system, 0.02, h=1e-2)
    for words, sentence in (
        ({"reference": run}, "A reference requires statistics of nodes on groups"),
        ({"reference": run, "statistics": ["mean"], "record": ["energy"]}, "A reference requires statistics"),
        ({"reference": 3, "statistics": ["mean"], "record": ["top"]}, "A reference is a solution, not a int"),
        ({"reference": run, "statistics": ["mean"], "record": ["top"]}, "covers 0 to 0.02 s, but members"),
        ({"reference": run, "statistics": ["mean"], "record": ["top.R"]}, "record 'top' as a whole"),
        ({"statistics": ["mean"], "record": ["top"]}, "give a reference="),
        (
            {"reference": sl.solve(swing_system(), 0.05), "statistics": ["mean"], "record": ["top"]},
            "is a run of 'swing', not of the model",
        ),
    ):
        with pytest.raises(ModelError, match=re.escape(sentence)):
            tops(**words)
    turned = sl.attitudes(np.array([[0, 0, 0], [0.1, 0, 0], [1.7, 0, 0]]))
    free, words = heavy_top_system("SO3"), {"h": 1e-3, "record": ["top"], "statistics": ["mean"]}
    near = sl.solve(free, 0.001, h=1e-3)
    kept = sl.ensemble(free, 0.001, initial={"top": {"rotation": turned}}, reference=near, **words)
    with pytest.raises(OutsideChartError, match="Member 2 of 'top' is at least a quarter turn"):
        kept.on_group("top")
    nothing = sl.ensemble(free, 0.001, parameters={"mass": [np.nan]}, reference=near, **words)
    with pytest.raises(ModelError, match="No member has"):
        nothing.on_group("top")


def test_invalid_input_is_rejected() -> None:
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
    with pytest.raises(OutsideChartError, match="quarter turn"):
        spread.on_group("top")
