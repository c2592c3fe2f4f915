"""Each mistake in the definition of a continuum has a specific message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symlie as sl
from symlie.errors import ModelError


def beam(group: Any = sl.SE2, length: Any = 1.0) -> sl.Continuum:
    """A continuum without densities."""
    return sl.Continuum(sl.Model("broken"), "beam", group, length)


def stated() -> sl.Continuum:
    """A beam with densities."""
    found = beam()
    found.kinetic_density(found.v.dot(found.v) / 2)
    found.potential_density(found.w.dot(found.w) / 2)
    return found


def discretized() -> sl.Continuum:
    """A beam with nodes."""
    found = stated()
    found.discretize(2)
    return found


SENTENCES: dict[str, tuple[Callable[[sl.Continuum], object], str]] = {
    "kinetic density, no scalar": (
        lambda c: c.kinetic_density(c.v),
        r"The kinetic density of continuum 'beam' must be a scalar, but has 3 components\.",
    ),
    "potential density, no scalar": (
        lambda c: c.potential_density(c.w),
        r"The potential density of continuum 'beam' must be a scalar, but has 3 components\.",
    ),
    "kinetic density of the strain": (
        lambda c: c.kinetic_density(c.v.dot(c.w)),
        r"The kinetic density of continuum 'beam' depends on w; it must be T\(s, v\)\.",
    ),
    "potential density of the velocity": (
        lambda c: c.potential_density(c.v.dot(c.w)),
        r"The potential density of continuum 'beam' depends on v; it must be U\(s, w, q\); use dissipation_density",
    ),
    "dissipation without rates": (
        lambda c: c.dissipation_density(c.w.dot(c.w)),
        r"The dissipation density of continuum 'beam' does not depend on w_dot",
    ),
    "drag as dissipation": (
        lambda c: c.dissipation_density(c.v.dot(c.w_dot)),
        r"The dissipation density of continuum 'beam' depends on v; .* use force_density for drag\.",
    ),
    "constraint without strain": (
        lambda c: c.constraint_density("stiff", [c.w[0], c.q.x[0]]),
        r"Equation 2 of the constraint density 'stiff' of continuum 'beam' does not depend on w;",
    ),
    "constraint of the velocity": (
        lambda c: c.constraint_density("stiff", c.w[0] + c.v[0]),
        r"The constraint density of continuum 'beam' depends on v; it must be Ψ\(w\)\.",
    ),
    "two constraints of a name": (
        lambda c: [c.constraint_density("stiff", c.w[0]) for _ in range(2)],
        r"Constraint 'stiff' is defined twice in 'beam'; rename one\.",
    ),
    "force of the strain": (
        lambda c: c.force_density(c.w),
        r"The force density of continuum 'beam' depends on w; it acts on cross sections",
    ),
    "size of a force density": (
        lambda c: c.force_density([1, 2]),
        r"A force on continuum 'beam' needs 3 components, one for each component of v, not 2\.",
    ),
    "size of a load": (
        lambda c: c.load(force=[1, 2, 3]),
        r"The force of a load of continuum 'beam' needs 2 components, not 3\.",
    ),
    "no load": (lambda c: c.load(), r"A load of continuum 'beam' needs a force or a moment\."),
    "reserved parameter": (
        lambda c: c.parameter("length", 1.0),
        r"Parameter 'length' of continuum 'beam' is reserved for its grid; choose another name\.",
    ),
    "quadrature": (
        lambda c: stated().discretize(3, quadrature="gauss"),
        r"Unknown quadrature 'gauss' for continuum 'beam'; use one of: midpoint, trapezoid, simpson\.",
    ),
    "zero length": (lambda c: beam(length=0.0), r"The length of continuum 'beam' is 0\.0; it must be positive\."),
    "length of text": (lambda c: beam(length="long"), r"The length of continuum 'beam' is a number, not 'long'\."),
    "segments of text": (
        lambda c: stated().discretize("many"),
        r"The segments of continuum 'beam' are a number, or the coordinates of its nodes, not 'many'\.",
    ),
    "quadrature that is no name": (lambda c: stated().discretize(3, quadrature=[]), r"Unknown quadrature \[\] for"),
    "parameter of text": (
        lambda c: c.parameter("k", "stiff"),
        r"The default of parameter 'k' must be numbers, not 'stiff'\.",
    ),
    "no length": (
        lambda c: without_length().discretize(3),
        r"Continuum 'beam' needs its length, or the coordinates of its nodes as segments\.",
    ),
    "grid that falls": (
        lambda c: stated().discretize([0, 0.7, 0.5, 1]),
        r"The coordinates of the nodes of continuum 'beam' must be at least two increasing numbers\.",
    ),
    "grid of another length": (
        lambda c: stated().discretize([0, 0.7, 2]),
        r"Continuum 'beam' has the nodes from 0 to 2, but the length 1\.0\.",
    ),
    "boundary condition twice": (
        lambda c: (c.clamp("start"), c.prescribe("start", x=[0, 0])),
        r"The boundary condition at the start of continuum 'beam' is defined twice: it is clamped already\.",
    ),
    "unknown end": (lambda c: c.clamp("left"), r"The ends of continuum 'beam' are 'start' and 'end', not 'left'\."),
    "load that is no force": (
        lambda c: c.end_load("end", [1, 2]),
        r"A force on continuum 'beam' needs 3 components, one for each component of v, not 2\.",
    ),
    "load that is a length": (
        lambda c: c.end_load("end", U=[c.parameter("offset", 1.0, unit="m"), 0]),
        r"The load at the end, a force by the natural boundary condition there, of 'beam_densities' is in N, but",
    ),
    "load at a clamp": (
        lambda c: (c.clamp("end"), c.end_load("end", [1, 2, 3])),
        r"The end of continuum 'beam' is clamped: it has no natural boundary condition, so no load can act there\.",
    ),
    "no kinetic density": (
        lambda c: c.discretize(3),
        r"Continuum 'beam' has no kinetic density; define it first\.",
    ),
    "too late": (
        lambda c: discretized().kinetic_density(1),
        r"Continuum 'beam' is discretized already; define its densities and parameters before discretize\.",
    ),
    "twice": (lambda c: discretized().discretize(3), r"Continuum 'beam' is discretized already;"),
    "too early": (lambda c: c[0], r"Continuum 'beam' has no nodes yet; call discretize\(segments\) first\."),
    "no group": (lambda c: beam(group=sl.S2), r"Continuum 'beam' needs a Lie group such as sl\.SE2, not S2\."),
    "no position": (
        lambda c: beam(group=sl.SO3).load(force=[0, 0, 1]),
        r"Continuum 'beam' is on SO3, which defines no force; use force_density\.",
    ),
    "units": (
        lambda c: c.potential_density(c.parameter("k", 1.0, unit="kg/m") * c.w[0] ** 2),
        r"The potential density of 'beam_densities' is in N, but",
    ),
}


def without_length() -> sl.Continuum:
    """A beam with densities whose length is not said."""
    found = beam(length=None)
    found.kinetic_density(found.v.dot(found.v) / 2)
    return found


@pytest.mark.parametrize("case", SENTENCES)
def test_failing_definition_is_named(case: str) -> None:
    change, sentence = SENTENCES[case]
    with pytest.raises(ModelError, match=f"^{sentence}"):
        change(beam())


def test_curve_with_both_ends_at_one_node_is_rejected() -> None:
    model = sl.Model("joined")
    trunk = sl.Continuum(model, "trunk", "R3", length=1.0)
    trunk.kinetic_density(trunk.v.dot(trunk.v) / 2)
    trunk.discretize(2)
    branch = sl.Continuum(model, "branch", "R3", length=1.0)
    branch.kinetic_density(branch.v.dot(branch.v) / 2)
    branch.join("start", trunk[-1])
    with pytest.raises(
        ModelError, match=r"^The boundary condition at the start of continuum 'branch' is defined twice"
    ):
        branch.clamp("start")
    branch.discretize(1)
    assert branch[0] is trunk[-1] and len(branch.nodes) == 1
