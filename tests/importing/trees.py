"""Random trees of links, written as URDF and as MJCF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RandomLink:
    """A link with the joint to its parent, -1 for the ground."""

    parent: int
    kind: str
    place: Array
    turn: Rotation
    axis: Array
    mass: float
    center: Array
    turn_of_inertia: Rotation
    moments: Array
    damping: float


def random_tree(seed: int, count: int, kinds: tuple[str, ...], *, floats: bool = False) -> list[RandomLink]:
    """A tree in which each link continues one of the last three."""
    random = np.random.default_rng(seed)
    links = []
    for k in range(count):
        axis = random.normal(size=3)
        sides = random.uniform(0.1, 0.5, 3)
        mass = random.uniform(0.5, 2.0)
        links.append(
            RandomLink(
                -1 if k == 0 else int(random.integers(max(0, k - 3), k)),
                "free" if k == 0 and floats else str(random.choice(kinds)),
                random.uniform(-0.3, 0.3, 3),
                Rotation.from_rotvec(random.uniform(-1, 1, 3)),
                axis / np.linalg.norm(axis),
                mass,
                random.uniform(-0.1, 0.1, 3),
                Rotation.from_rotvec(random.uniform(-1, 1, 3)),
                mass / 12 * (np.sum(sides**2) - sides**2),
                float(random.uniform(0, 0.5)),
            )
        )
    return links


def write_urdf(links: list[RandomLink], path: Path) -> Path:
    """Write a tree as URDF; ``free`` is left to the import."""
    parts = ['<robot name="tree">']
    if links[0].kind != "free":
        parts.append('<link name="base"/>')
    for k, link in enumerate(links):
        J = (link.turn_of_inertia.as_matrix() * link.moments) @ link.turn_of_inertia.as_matrix().T
        values = " ".join(
            f'i{"xyz"[i]}{"xyz"[j]}="{_text([J[i, j]])}"' for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        )
        parts.append(
            f'<link name="link{k}"><inertial><origin xyz="{_text(link.center)}"/><mass value="{link.mass!r}"/>'
            f"<inertia {values}/></inertial></link>"
        )
        if link.kind == "free":
            continue
        kind = {"hinge": "continuous", "slide": "prismatic"}[link.kind]
        parent = "base" if link.parent < 0 else f"link{link.parent}"
        parts.append(
            f'<joint name="joint{k}" type="{kind}"><parent link="{parent}"/><child link="link{k}"/>'
            f'<origin xyz="{_text(link.place)}" rpy="{_text(link.turn.as_euler("xyz"))}"/>'
            f'<axis xyz="{_text(link.axis)}"/><limit effort="0" velocity="0"/>'
            f'<dynamics damping="{link.damping!r}"/></joint>'
        )
    path.write_text("\n".join([*parts, "</robot>"]), encoding="utf-8")
    return path


def write_mjcf(links: list[RandomLink], path: Path, *, armature: float = 0.0) -> Path:
    """Write a tree as MJCF with springs, dampers and motors."""
    inner = {k: [j for j, other in enumerate(links) if other.parent == k] for k in range(-1, len(links))}

    def body(k: int) -> str:
        link = links[k]
        joint = f'<joint name="joint{k}" type="{link.kind}" damping="{link.damping!r}" armature="{armature!r}"'
        if link.kind == "free":
            joint = f'<freejoint name="joint{k}"/>'
        elif link.kind == "ball":
            joint += f' pos="{_text(0.1 * link.axis)}"/>'
        else:
            springs = f'stiffness="{k % 3 * 0.5}" springref="0.2" ref="{k % 2 * 0.3}"'
            joint += f' pos="{_text(0.1 * link.axis[::-1])}" axis="{_text(link.axis)}" {springs}/>'
        x, y, z, w = link.turn.as_quat()
        a, b, c, d = link.turn_of_inertia.as_quat()
        return (
            f'<body name="link{k}" pos="{_text(link.place)}" quat="{_text([w, x, y, z])}">{joint}'
            f'<inertial pos="{_text(link.center)}" quat="{_text([d, a, b, c])}" mass="{link.mass!r}" '
            f'diaginertia="{_text(link.moments)}"/>{"".join(body(j) for j in inner[k])}</body>'
        )

    scalar = [k for k, link in enumerate(links) if link.kind in ("hinge", "slide")]
    motors = "".join(f'<motor name="motor{k}" joint="joint{k}" gear="{k + 2}"/>' for k in scalar[::2])
    servos = "".join(f'<position name="servo{k}" joint="joint{k}" kp="3" kv="0.2"/>' for k in scalar[1::2])
    path.write_text(
        f'<mujoco model="tree"><compiler angle="radian"/><worldbody>{"".join(body(k) for k in inner[-1])}</worldbody>'
        f"<actuator>{motors}{servos}</actuator></mujoco>",
        encoding="utf-8",
    )
    return path


def _text(values: Array | list[float]) -> str:
    return " ".join(repr(float(v)) for v in values)
