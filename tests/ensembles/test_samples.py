"""Samples: reproducible, independent of what else is drawn, and of the right distributions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

import symlie as sl
from symlie.ensembles.sequences import SAMPLERS
from symlie.errors import ModelError, UnknownNameError
from symlie.rotations import with_rotations
from tests import tolerances

MASS, DAMPING = stats.norm(15, 0.5), stats.uniform(0, 2)
THREE = [stats.norm(1.0, 0.1), stats.norm(2.0, 0.1), 0.1]
COUPLED = stats.multivariate_normal([1.0, 2.0], [[2.0, 1.0], [1.0, 3.0]])


def design(count: int, sampler: str, **others: Any) -> sl.Samples:
    return sl.samples(count, seed=1, sampler=sampler, mass=MASS, inertia=THREE, coupled=COUPLED, **others)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samples_have_shapes_and_descriptions(sampler: str) -> None:
    draws = design(5, sampler, frame=[[1, 2], [3, DAMPING]], length=2, **{"left.mass": MASS})
    shapes = {name: values.shape for name, values in draws.items()}
    expected = {
        "mass": (5,),
        "inertia": (5, 3),
        "coupled": (5, 2),
        "frame": (5, 2, 2),
        "length": (5,),
        "left.mass": (5,),
    }
    assert shapes == expected
    assert np.all(draws["inertia"][:, 2] == 0.1) and np.all(draws["length"] == 2)
    assert np.all(draws["frame"][:, 0] == [1, 2]) and np.all(draws["frame"][:, 1, 0] == 3)
    assert (draws.count, draws.seed, draws.sampler) == (5, 1, sampler)
    assert draws.distributions["inertia"] == "[norm(1.0, 0.1), norm(2.0, 0.1), 0.1]"
    assert draws.distributions["frame"] == "[[1, 2], [3, uniform(0, 2)]]"
    assert repr(draws).startswith(f"Samples(5 {sampler}, seed 1; mass: norm(15, 0.5); ") and len(repr(draws)) <= 200
    assert "norm(15, 0.5)" in draws._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        draws["mass"][0] = 1


@pytest.mark.parametrize("sampler", ["random", "sobol"])
def test_members_are_independent_of_the_sample_size(sampler: str) -> None:
    """At powers of two and between them members are bit-identical, without warnings."""
    long = design(1000, sampler)
    for count in (1, 2, 100, 512, 999):
        short = design(count, sampler)
        assert all(np.array_equal(short[name], long[name][:count]) for name in long)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samples_are_independent_of_the_order_of_names(sampler: str) -> None:
    one = sl.samples(20, sampler=sampler, mass=MASS, damping=DAMPING, inertia=THREE)
    other = sl.samples(20, sampler=sampler, inertia=THREE, damping=DAMPING, mass=MASS)
    assert list(one) == ["mass", "damping", "inertia"]
    assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_additional_names_change_only_sobol_samples(sampler: str) -> None:
    alone, beside = (design(20, sampler, **more) for more in ({}, {"damping": DAMPING}))
    changed = [name for name in alone if not np.array_equal(alone[name], beside[name])]
    assert changed == (["mass", "inertia"] if sampler == "sobol" else [])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_seeds_differ(sampler: str) -> None:
    one, other = (sl.samples(20, seed=seed, sampler=sampler, u=stats.uniform())["u"] for seed in (0, 2**70))
    assert not np.any(one == other)


EXACT = {
    "random": [
        "0x1.532b5f9f091a8p-4",
        "0x1.ea5c287174133p-1",
        "0x1.8435c832c4e8dp-1",
        "0x1.f9c36d850d3b9p-1",
        "0x1.920baa8c9b30fp-1",
        "0x1.2eaf7efb60f93p-1",
    ],
    "sobol": [
        "0x1.c08e240797f65p-1",
        "0x1.6a64cd6a95f3cp-3",
        "0x1.7d9dd3c20c94ep-2",
        "0x1.17578f21f9387p-1",
        "0x1.c079ae5efe636p-2",
        "0x1.a29eaff378fd3p-1",
    ],
    "latin_hypercube": [
        "0x1.13b5407ffb36ap-2",
        "0x1.d5501cfbe9557p-1",
        "0x1.7b5f8b8ce0cd5p-2",
        "0x1.6bca824699d50p-1",
        "0x1.48453a29fdec8p-1",
        "0x1.208a586584041p-2",
    ],
}
"""For seed 1 and names u and v; they must not change."""


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samples_are_reproducible(sampler: str) -> None:
    draws = sl.samples(3, seed=1, sampler=sampler, u=stats.uniform(), v=stats.uniform())
    assert [x.hex() for x in (*draws["u"].tolist(), *draws["v"].tolist())] == EXACT[sampler]


def test_latin_hypercube_has_one_member_per_interval() -> None:
    draws = sl.samples(100, sampler="latin_hypercube", u=stats.uniform(), v=stats.uniform())
    parts = [np.floor(100 * draws[name]).astype(int) for name in ("u", "v")]
    assert all(sorted(part) == list(range(100)) for part in parts) and not np.array_equal(*parts)


def test_sobol_points_are_uniform() -> None:
    """Of 2^m points each interval of length 2^-m has one, of both names; and 2^m boxes of the plane likewise."""
    draws = sl.samples(256, seed=5, sampler="sobol", u=stats.uniform(), v=stats.uniform())
    for m in range(9):
        boxes = np.floor(draws["u"] * 2**m) * 2 ** (8 - m) + np.floor(draws["v"] * 2 ** (8 - m))
        assert len(set(boxes)) == 256
    points = np.column_stack([draws["u"], draws["v"]])
    assert qmc.discrepancy(points) < qmc.discrepancy(np.random.default_rng(1).random((256, 2))) / 10
    shifted = sl.samples(256, seed=6, sampler="sobol", u=stats.uniform(), v=stats.uniform())
    assert len({*draws["u"], *shifted["u"]}) == 512


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_distributions_have_their_moments(sampler: str) -> None:
    draws = design(2000, sampler, damping=stats.lognorm(0.3, scale=2.0))
    assert stats.kstest(draws["mass"], MASS.cdf).pvalue > 1e-3
    assert stats.kstest(draws["damping"], stats.lognorm(0.3, scale=2.0).cdf).pvalue > 1e-3
    white = np.linalg.solve(np.linalg.cholesky(COUPLED.cov), (draws["coupled"] - COUPLED.mean).T)
    assert all(stats.kstest(row, "norm").pvalue > 1e-3 for row in white)
    assert abs(np.corrcoef(white)[0, 1]) < 4 / np.sqrt(2000)


def test_other_distributions_are_accepted() -> None:
    histogram = stats.rv_histogram(np.histogram([1.0, 2.0, 3.0]))()
    draws = sl.samples(50, count=stats.poisson(3), bent=histogram, new=stats.Normal(mu=1.0, sigma=2.0))
    assert np.all(draws["count"] == np.round(draws["count"]))
    assert np.all((draws["bent"] >= 1) & (draws["bent"] <= 3))
    assert draws.distributions["new"] == "Normal(mu=1.0, sigma=2.0)" and np.ptp(draws["new"]) > 1


def test_samples_can_be_pickled() -> None:
    draws = design(7, "random")
    back = pickle.loads(pickle.dumps(draws))
    assert repr(back) == repr(draws) and all(np.array_equal(back[name], draws[name]) for name in draws)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mass": "heavy"}, "'mass' needs a distribution of scipy.stats.*not 'heavy'"),
        ({"mass": np.random.default_rng(1)}, "'mass' needs a distribution of scipy.stats"),
        ({"mass": [1.0, None]}, r"'mass\[1\]' needs a distribution"),
        ({"mass": stats.norm}, r"'mass' needs the arguments of its distribution as well: stats.norm\(…\)"),
        ({"mass": stats.dirichlet([1, 2])}, "'mass' cannot be drawn from dirichlet_frozen"),
        ({"mass": stats.norm([1, 2], 1)}, "'mass' is drawn from norm.*arrays as arguments"),
        ({"mass": stats.norm(15, -0.5)}, r"'mass', drawn from norm\(15, -0.5\), is nan for member 0"),
        ({"mass": [1.0, stats.norm(np.inf, 1)]}, "'mass', drawn from.* is (inf|nan) for member 0"),
        ({"mass": MASS, "length": np.nan}, "'length', drawn from nan, is nan"),
        ({"mass": [[MASS, 1], [1]]}, r"'mass' needs components of equal shape, not \[\(1,\), \(2,\)\]"),
        ({"mass": []}, "'mass' needs components of equal shape, not none"),
        ({"mass": stats.multivariate_normal([0, 0], np.ones((2, 2)), allow_singular=True)}, "'mass'.*is singular"),
        ({}, "need a distribution by name"),
        ({"mass": 3}, "need a distribution by name"),
        ({"mass": MASS, "seed": 1.5}, "seed of samples must be a whole number that is not negative, not 1.5"),
        ({"mass": MASS, "seed": -1}, "seed of samples.*not -1"),
    ],
)
def test_invalid_input_is_reported(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        sl.samples(3, **arguments)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


@pytest.mark.parametrize("count", [0, -3, 2.5, "10", None])
def test_invalid_numbers_of_members_are_rejected(count: Any) -> None:
    with pytest.raises(ModelError, match="positive whole number"):
        sl.samples(count, mass=MASS)


def test_unknown_samplers_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownNameError, match="'halton'; use one of: random, sobol, latin_hypercube"):
        sl.samples(3, sampler="halton", mass=MASS)
    monkeypatch.setattr(qmc.Sobol, "MAXDIM", 1)
    with pytest.raises(ModelError, match="at most 1 numbers for each member, not 2"):
        sl.samples(3, sampler="sobol", mass=[MASS] * 2)


def test_attitudes_are_rotations_about_a_reference() -> None:
    thetas = sl.samples(20, tilt=[stats.norm(0, 1)] * 3)["tilt"]
    first = sl.rotation(axis=[1, 2, 3], angle=0.7)
    found = sl.attitudes(thetas, around=first)
    expected = (Rotation.from_rotvec(np.array(first.vector)) * Rotation.from_rotvec(thetas.copy())).as_matrix()
    assert np.abs(np.array([r.matrix for r in found]).reshape(-1, 3, 3) - expected).max() < tolerances.INSTRUCTIONS
    alone = sl.attitudes(np.zeros((1, 3)))
    assert alone[0].matrix == (1, 0, 0, 0, 1, 0, 0, 0, 1)


def test_attitudes_can_be_initial_values() -> None:
    found = sl.attitudes([[0, 0, 0.1], [0, 0.2, 0]])
    rows = with_rotations("Node", {"p": (4,), "x": (3,)}, {"rotation": found})["p"]
    assert np.shape(rows) == (2, 4)


@pytest.mark.parametrize("vectors", [[1, 2, 3], [[1, 2]], [[1, 2, np.nan]], [["a", 1, 2]], [[1, 2, 3], [1]]])
def test_invalid_rotation_vectors_are_rejected(vectors: Any) -> None:
    with pytest.raises(ModelError, match="Rotation vectors must be"):
        sl.attitudes(vectors)


def test_invalid_reference_rotations_are_rejected() -> None:
    with pytest.raises(ModelError, match="around must be an sl"):
        sl.attitudes([[1, 2, 3]], around=np.eye(3))
    with pytest.raises(ModelError, match="needs an axis"):
        sl.attitudes([[1, 2, 3]], around=sl.rotation(angle=1.0))
