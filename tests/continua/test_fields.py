"""Fields over the segments of continua: strains, section forces and multipliers, in two axes, drawn and saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from tests import tolerances

STIFFNESS = np.array([2.0, 3.0, 1.5, 4e2, 5e2, 6e2])


def falling(backend: str = "numpy", like: bool = False) -> Solution:
    """A clamped Kirchhoff rod with damping that begins to fall, and another one that shares its types."""
    model = sl.Model("falling")
    trunk = sl.CosseratRod(
        model, "rod", segments=3, length=0.6, stiffness=STIFFNESS, inertia=[0.02, 0.03, 0.05, 0.5, 0.5, 0.5],
        damping=0.05, position=lambda s: (s, 0, 0), orientation=(0.5**0.5, 0, 0.5**0.5, 0), gravity=(0, 1, -9.81),
        constraint="kirchhoff",
    )  # fmt: skip
    trunk.clamp("start")
    if like:
        sl.CosseratRod(
            model, "branch", segments=2, length=0.4, like=trunk, first=trunk[-1], position=lambda s: (0.6 + s, 0, 0),
            orientation=(0.5**0.5, 0, 0.5**0.5, 0),
        )  # fmt: skip
    return sl.solve(model.derive().compile(backend), 0.02, h=1e-3, record_every=5)


@pytest.mark.slow
def test_section_forces_balance_the_nodes() -> None:
    """G = C (w - w*) + 2 D ẇ + λ, and w from neighbouring nodes; λ are the multipliers of the constraint."""
    solution = falling()
    system, curve = solution.system, solution.system.layout.curves["rod"]
    strain = solution.field("rod", "strain")
    logs = np.array([system.kernels.difference(q, np.concatenate([q[7:], q[-7:]])) for q in solution.q])
    theta = logs.reshape(len(solution.t), 4, 6)[:, :3]
    np.testing.assert_allclose(strain, theta / 0.2 - [0, 0, 0, 0, 0, 1], atol=tolerances.SMOOTH_IDENTITY)
    rate = (theta[2:] - theta[:-2]) / (solution.t[2] - solution.t[0]) / 0.2
    held = np.zeros_like(strain)
    held[..., 3:5] = solution.named_multipliers()["rod_segment_strain"]
    np.testing.assert_array_equal(solution.field("rod", "multipliers"), held[..., 3:5])
    expected = STIFFNESS * strain + held
    found = solution.field("rod", "section_force")
    viscous = (found - expected)[1:-1]
    np.testing.assert_allclose(viscous, 2 * 0.05 * rate, atol=0.05 * np.abs(viscous).max())
    assert found.shape == (len(solution.t), 3, 6) and len(curve.arc) == 4


def test_fields_are_available_in_both_axes() -> None:
    """In space the section force of a cut is rotated by the rotation of the segment's midpoint."""
    solution = falling()
    body, space = (solution.field("rod", "section_force", frame=frame) for frame in ("body", "space"))
    np.testing.assert_allclose(np.linalg.norm(space[..., 3:], axis=2), np.linalg.norm(body[..., 3:], axis=2))
    middle = solution.at("rod", [0.1, 0.3, 0.5], solution.t)
    p = middle.field("p")
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_quat(np.roll(p.reshape(-1, 4), -1, axis=1)).apply(body[..., :3].reshape(-1, 3))
    np.testing.assert_allclose(space[..., :3].reshape(-1, 3), turned, atol=tolerances.BACKENDS * np.abs(turned).max())
    with pytest.raises(ModelError, match=r"^The frame of fields over segments must be body or space, not 'inertial'\."):
        solution.field("rod", "section_force", frame="inertial")
    with pytest.raises(ModelError, match=r"^Field 'multipliers' of 'rod' is not a vector in axes of a cross section\."):
        solution.field("rod", "multipliers", frame="space")


@pytest.mark.slow
def test_compiled_code_agrees_and_types_are_shared() -> None:
    found: list[Array] = []
    for backend in ("numpy", "c"):
        solution = falling(backend, like=True)
        found.append(solution.field("branch", "section_force"))
        assert solution.field("rod", "section_force").shape[1:] == (3, 6)
    assert found[0].shape[1:] == (2, 6)
    np.testing.assert_allclose(found[0], found[1], atol=tolerances.SMOOTH_IDENTITY * np.abs(found[0]).max() * 100)


def test_string_at_rest_has_constant_tension() -> None:
    """On a group without rotation; its tension falls along a hanging string. A user-defined field gives positions."""
    model = sl.Model("hanging")
    string = sl.Continuum(model, "string", "R3", length=1.0)
    string.kinetic_density(2 * string.v.dot(string.v) / 2)
    string.potential_density(1e4 * (string.w.norm() - 1) ** 2 / 2)
    string.load(force=[0, 0, -2 * 9.81])
    string.local_output("place", string.s)
    string.clamp("start")
    string.initial(x=lambda s: (0, 0, -s - 2 * 9.81 / 1e4 * (s - s**2 / 2)))
    string.discretize(4)
    system = model.derive().compile("numpy")
    solution = sl.solve(system, 1e-4, h=1e-4)
    s = solution.field("string", "place")[0, :, 0]
    np.testing.assert_allclose(s, (np.arange(4) + 0.5) / 4)
    np.testing.assert_allclose(solution.field("string", "section_force")[0, :, 2], -2 * 9.81 * (1 - s), rtol=1e-9)
    with pytest.raises(UnknownNameError, match=r"^'string' has no field 'stress'; it has: x, x_dot, .*place\."):
        solution.field("string", "stress")
    with pytest.raises(ModelError, match=r"^Field 'strain' of 'string' is not a vector in axes of a cross section\."):
        solution.field("string", "strain", frame="space")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["npz", "nc"])
def test_requested_fields_are_saved(tmp_path: Path, ending: str) -> None:
    if ending == "nc":
        pytest.importorskip("netCDF4")
    solution = falling()
    force = solution.field("rod", "section_force")
    solution.save(tmp_path / f"rod.{ending}")
    again = sl.load_solution(tmp_path / f"rod.{ending}", trust=False)
    np.testing.assert_array_equal(again.field("rod", "section_force"), force)
    assert list(again.known_fields) == [("rod", "section_force", "body")]


@pytest.mark.slow
def test_fields_are_plotted_over_s() -> None:
    pytest.importorskip("matplotlib")
    figure = falling().plot(panels=["rod.section_force", "energy"])
    assert isinstance(figure, Figure)
    axes = next(a for a in figure.axes if "section force" in a.get_title(loc="left"))
    assert axes.get_xlabel() == "$s$ in m" and len(axes.lines) == 6
    np.testing.assert_allclose(np.asarray(axes.lines[0].get_xdata()), [0.1, 0.3, 0.5])


def test_duplicate_local_outputs_are_rejected() -> None:
    element = sl.ElementType("pair", a="R1", b="R1")
    element.local_output("gap", element.b.x - element.a.x, unit="m")
    with pytest.raises(ModelError, match=r"^Local output 'gap' is defined twice in 'pair'; rename one\."):
        element.local_output("gap", element.b.x)
    with pytest.raises(ModelError, match=r"^Local output 'none' of 'pair' has no components\."):
        element.local_output("none", [])
