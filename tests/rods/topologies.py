"""Models over various topologies, each with any number of segments."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.runtime.system.system import System

GRAVITY = (0.0, 0.0, -9.81)
STIFFNESS = (2.0, 3.0, 1.5, 4e2, 5e2, 6e2)
INERTIA = (2e-2, 3e-2, 5e-2, 0.5, 0.5, 0.5)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
"""The rod points along the third inertial axis."""


def leaning(angle: float) -> tuple[float, float, float, float]:
    """Orientation of a rod that leans towards the first axis, in radians from the third."""
    return (float(np.cos(angle / 2)), 0.0, float(np.sin(angle / 2)), 0.0)


def chain(segments: int = 6) -> sl.Model:
    """A clamped rod with damping, under its weight."""
    model = sl.Model("chain_of_segments")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=1.0, stiffness=STIFFNESS, inertia=INERTIA, damping=0.01,
        position=lambda s: (s, 0, 0), orientation=leaning(np.pi / 2), constraint="kirchhoff", gravity=GRAVITY,
    )  # fmt: skip
    rod.nodes.fix(0)
    return model


def tree(segments: int = 4, branches: int = 2) -> sl.Model:
    """A clamped trunk whose end is shared by branches of the same element types, thinner than the trunk."""
    model = sl.Model("tree")
    trunk = sl.CosseratRod(
        model, "trunk", segments=segments, length=1.0, stiffness=STIFFNESS, inertia=INERTIA, damping=0.02,
        position=lambda s: (0, 0, s), orientation=UPRIGHT, constraint="kirchhoff", gravity=GRAVITY,
    )  # fmt: skip
    trunk.nodes.fix(0)
    for number, angle in enumerate(np.linspace(-0.7, 0.8, branches)):
        direction = np.array([np.sin(angle), 0.1 * number, np.cos(angle)])
        sl.CosseratRod(
            model, f"branch_{number}", segments=segments + 1, length=0.8, like=trunk, first=trunk[-1],
            stiffness=0.5 * np.array(STIFFNESS), reference_strain="initial",
            position=lambda s, d=direction: np.array([0, 0, 1]) + s * d, orientation=leaning(angle),
        )  # fmt: skip
    return model


def ring(segments: int = 12) -> sl.Model:
    """A closed rod without stress in its round shape, hung at one node."""
    model = sl.Model("ring")
    r = 1 / (2 * np.pi)
    rod = sl.CosseratRod(
        model, "ring", segments=segments, length=1.0, closed=True, stiffness=STIFFNESS, inertia=INERTIA,
        position=lambda s: (-r * np.cos(s / r), 0, r * np.sin(s / r)), orientation=lambda s: leaning(s / r),
        reference_strain="initial", constraint="kirchhoff", gravity=GRAVITY,
    )  # fmt: skip
    rod.nodes.fix(0)
    return model


def free_ring(segments: int = 12) -> sl.Model:
    """A closed rod that was bent from a straight one; no node is fixed."""
    model = sl.Model("free_ring")
    r = 1 / (2 * np.pi)
    rod = sl.CosseratRod(
        model, "ring", segments=segments, length=1.0, closed=True, stiffness=STIFFNESS, inertia=INERTIA,
        position=lambda s: (-r * np.cos(s / r), 0, r * np.sin(s / r)), orientation=lambda s: leaning(s / r),
        constraint="kirchhoff",
    )  # fmt: skip
    rod.nodes.initial(Omega=lambda k: (0.1 * np.sin(2 * np.pi * k / segments), 0.3, 0))
    return model


def rope_with_body(segments: int = 6) -> sl.Model:
    """A rope on S³⋉R³, clamped at one end; at the other end a joint to a body on SE(3) with products of inertia."""
    model = sl.Model("rope_with_body")
    rope = sl.CosseratRod(
        model, "rope", segments=segments, length=1.0, stiffness=STIFFNESS, inertia=INERTIA, damping=0.02,
        position=lambda s: (s, 0, 0), orientation=leaning(np.pi / 2), constraint="inextensible", gravity=GRAVITY,
    )  # fmt: skip
    rope.nodes.fix(0)
    bodies = model.node_array("bodies", sl.SE3, 1)
    bodies.initial(x=(1.2, 0, 0), Omega=(0, 1, 2))
    body = sl.ElementType("body", node=sl.SE3)
    mass = body.parameter("mass", 0.4, unit="kg")
    q = body.node
    inertia = sl.eye(3) / 50 + sl.vector(1, 2, 3) * sl.vector(1, 2, 3).T / 2000
    velocity = q.U + q.Omega.cross(sl.vector(0.02, 0, 0.01))
    body.kinetic_energy((mass * velocity.dot(velocity) + q.Omega.dot(inertia * q.Omega)) / 2)
    body.potential_energy(9.81 * mass * (q.x + q.R * sl.vector(0.02, 0, 0.01))[2])
    joint = sl.ElementType("joint", rope=sl.S3sR3, body=sl.SE3)
    joint.constraint("pivot", joint.rope.x - joint.body.x - joint.body.R * sl.vector(-0.2, 0, 0))
    model.add(body, [bodies[0]])
    model.add(joint, [(rope[-1], bodies[0])])
    return model


def tapered(segments: int = 5) -> sl.Model:
    """A non-uniform grid with full stiffness matrices, variable inertia, and constrained extension and twist."""
    model = sl.Model("tapered")
    coupling = np.diag(STIFFNESS) + 0.3 * np.outer(np.arange(6), np.arange(6))
    lengths = np.linspace(1, 2, segments) / segments
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=lengths, stiffness=lambda s: coupling * (1 - s / 4),
        inertia=lambda s: np.array(INERTIA) * (1 - s / 3), damping=lambda s: np.full(6, 0.01 + s / 100),
        position=lambda s: (0, 0, s), orientation=UPRIGHT, constraint=[5, 2], gravity=(1, 2, -9.81),
    )  # fmt: skip
    rod.nodes.fix(0)
    return model


def rotation_matrices(segments: int = 6) -> sl.Model:
    """The chain with rotation matrices instead of quaternions."""
    model = sl.Model("chain_on_se3")
    orientation = Rotation.from_quat(np.roll(leaning(np.pi / 2), -1)).as_matrix()
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=1.0, stiffness=STIFFNESS, inertia=INERTIA, damping=0.01,
        position=lambda s: (s, 0, 0), orientation=orientation, constraint="kirchhoff", gravity=GRAVITY, group=sl.SE3,
    )  # fmt: skip
    rod.nodes.fix(0)
    return model


def springs(bodies: int = 4) -> sl.Model:
    """Bodies in a row joined by springs with logarithmic strain, without constraints."""
    model = sl.Model("springs")
    nodes = model.node_array("bodies", sl.SE3, bodies)
    nodes.initial(x=lambda k: (0.5 * k, 0.02 * k * k, 0), Omega=lambda k: (0.2 * k, 1, 0.5))
    body = sl.ElementType("body", node=sl.SE3)
    inertia = body.parameter("inertia", np.ones(6))
    body.kinetic_energy(body.node.v.dot(sl.diag(inertia) * body.node.v) / 2)
    spring = sl.ElementType("spring", left=sl.SE3, right=sl.SE3)
    stiffness = spring.parameter("stiffness", np.ones(6))
    strain = (spring.left.inverse() * spring.right).log() - sl.vector(0, 0, 0, 0.5, 0, 0)
    spring.potential_energy(strain.dot(sl.diag(stiffness) * strain) / 2)
    model.add(body, [nodes[k] for k in range(bodies)], inertia=[0.1, 0.2, 0.3, 1, 1, 1])
    rows = np.linspace(1, 2, bodies - 1)[:, None] * np.array([5.0, 5, 5, 100, 100, 100])
    model.add(spring, [(nodes[k], nodes[k + 1]) for k in range(bodies - 1)], stiffness=rows)
    return model


def bodies_one_by_one(count: int = 8) -> sl.Model:
    """A hanging chain of individually defined bodies with products of inertia and spherical joints."""
    model = sl.Model("bodies_one_by_one")
    mass = model.parameter("mass", 1.0, unit="kg")
    inertia = model.parameter("inertia", [[0.1, 0.02, 0.01], [0.02, 0.2, 0.03], [0.01, 0.03, 0.15]], unit="kg m^2")
    arm = sl.vector(0, 0, 0.25)
    offset = sl.vector(0.02, 0.03, 0)
    end = sl.vector(0, 0, 0)
    for k in range(count):
        body = model.node(f"body{k}", sl.S3sR3 if k % 2 else sl.SE3)
        velocity = body.U + body.Omega.cross(offset)
        model.kinetic_energy((mass * velocity.dot(velocity) + body.Omega.dot(inertia * body.Omega)) / 2)
        model.potential_energy(9.81 * mass * (body.x + body.R * offset)[2])
        model.constraint(f"joint{k}", body.x + body.R * arm - end)
        end = body.x - body.R * arm
        model.initial(body, x=[0, 0, -0.25 - 0.5 * k], Omega=[1, 0.2 * k, 0.3])
    return model


MODELS: dict[str, Callable[[], sl.Model]] = {
    f.__name__: f
    for f in (chain, tree, ring, free_ring, rope_with_body, tapered, rotation_matrices, springs, bodies_one_by_one)
}


@functools.cache
def system(name: str, backend: str = "c") -> System:
    """One of `MODELS`, ready to run."""
    return MODELS[name]().derive().compile(backend=backend)
