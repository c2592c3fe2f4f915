"""Rates along given rates, before the field of a node is known."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from tests.tolerances import BACKENDS_OF_SPACES


def bob() -> tuple[sl.Model, sl.Node]:
    """A spherical pendulum that still has no field."""
    model = sl.Model("led")
    node = model.node("bob", sl.TS2)
    model.initial(node, q=[0.6, 0, 0.8], omega=[0.8, 1.5, -0.6])
    return model, node


@pytest.mark.slow
def test_second_rates_of_a_matrix_match_the_motion() -> None:
    """Along the field that is defined afterwards; scalars, vectors and matrices keep their shape."""
    model, x = bob()
    q, omega, t = x.q, x.omega, model.t
    turned = -9.81 * q.cross(sl.vector(0, 0, 1))
    motion = {"q": omega.cross(q), "omega": turned}
    matrix = q * q.T * sl.sin(t)
    first = model.rate_along(matrix, x, **motion)
    second = model.rate_along(first, x, **motion)
    assert first.shape == second.shape == (3, 3)
    height = model.rate_along(q[2] * t, x, [*omega.cross(q), *turned])
    assert not hasattr(height, "shape")
    model.vector_field(x, **motion)
    for name, value in {"matrix": matrix, "second": second, "height": height}.items():
        model.output(name, value)
    h = 2.0**-9
    solution = sl.solve(model.derive().compile(), 4 * h, method="rkmk_rk67", h=h)
    values = solution.outputs["matrix"].reshape(5, 9)
    by_differences = np.array([-1, 16, -30, 16, -1]) @ values / (12 * h * h)
    np.testing.assert_allclose(np.ravel(solution.outputs["second"][2]), by_differences, atol=h**2)
    bob_q, bob_omega = solution.field("bob", "q"), solution.field("bob", "omega")
    expected = bob_q[:, 2] + solution.t * np.cross(bob_omega, bob_q)[:, 2]
    assert np.abs(solution.outputs["height"] - expected).max() < BACKENDS_OF_SPACES


def test_expressions_without_a_rate_are_rejected() -> None:
    model, x = bob()
    other = model.node("other", sl.S2)
    body = model.node("body", "R3")
    with pytest.raises(ModelError, match="depends on nodes other than 'bob'"):
        model.rate_along(other.q[0] * x.q[0], x, q=x.omega)
    with pytest.raises(ModelError, match="The rate of node 'bob' has no part 'p'"):
        model.rate_along(x.q[0], x, p=[0, 0, 0])
    with pytest.raises(ModelError, match="Node 'body' on R3 has a velocity"):
        model.rate_along(body.x[0], body, x=[0, 0, 0])
