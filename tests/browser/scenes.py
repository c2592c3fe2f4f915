"""Hand-written scenes without a solution."""

from __future__ import annotations

from typing import Any

import numpy as np

from symlie.utilities.encoding import encoded
from symlie.view.page import page_of

Scene = dict[str, Any]


def scene_of(*solutions: dict[str, Any], **settings: Any) -> Scene:
    """A scene of solutions as `solution` gives them."""
    return {
        "format": 2,
        "model": "by_hand",
        "made_by": "a test",
        "up": [0, 0, 1],
        "ground": True,
        "solutions": list(solutions),
        **settings,
    }


def solution(times: np.ndarray, **content: Any) -> dict[str, Any]:
    """A solution with its times and what else is in it."""
    return {"label": "by hand", "time_unit": "s", "times": encoded(times, "float64"), "notes": [], **content}


def bodies(positions: np.ndarray, rotations: np.ndarray, names: list[str] | None = None) -> dict[str, Any]:
    """Bodies at positions (n, count, 3), rotated by unit quaternions (n, count, 4)."""
    count = positions.shape[1]
    return {
        "names": names or [f"body {i}" for i in range(count)],
        "positions": encoded(positions),
        "rotations": encoded(rotations),
        "velocities": None,
        "fixed": [False] * count,
    }


def boxes(count: int, frames: int = 60) -> Scene:
    """Boxes that move on circles and rotate about the vertical axis at different speeds."""
    times = np.linspace(0.0, 4.0, frames)
    side = int(np.ceil(np.sqrt(count)))
    corners = np.stack(np.divmod(np.arange(count), side), axis=1) * 0.3
    angles = times[:, None] * (1 + 0.1 * np.arange(count)) % (2 * np.pi)
    positions = np.zeros((frames, count, 3))
    positions[..., :2] = corners + 0.1 * np.stack([np.cos(angles), np.sin(angles)], axis=2)
    rotations = np.zeros((frames, count, 4))
    rotations[..., 0], rotations[..., 3] = np.cos(angles / 2), np.sin(angles / 2)
    shapes = [{"body": k, "kind": "box", "size": [0.12, 0.08, 0.2], "color": None} for k in range(count)]
    return scene_of(solution(times, bodies=bodies(positions, rotations), shapes=shapes))


def page_text(scene: Scene) -> str:
    """The text of the page of a scene."""
    return page_of(scene["model"], scene)


EVENTS = (1.0, 2.5)


def moving(times: np.ndarray, origin: tuple[float, float, float], reach: float = 0.5) -> np.ndarray:
    """A point on a circle, (n, 3)."""
    circle = np.stack([np.cos(times), np.sin(times), 0.3 * np.sin(3 * times)], axis=1)
    return np.asarray(origin) + reach * circle


def rod(times: np.ndarray, nodes: int = 9) -> dict[str, Any]:
    """A rod that waves, with a field of both signs."""
    along = np.linspace(0, 1.5, nodes)
    positions = np.zeros((len(times), nodes, 3))
    positions[..., 0], positions[..., 1] = along, 1.0
    positions[..., 2] = 0.2 * np.sin(2 * along - times[:, None])
    rotations = np.zeros((len(times), nodes, 4))
    rotations[..., 0] = 1.0
    bending = np.tile(np.linspace(-2.0, 1.0, nodes - 1), (len(times), 1))
    return {
        "name": "rod",
        "closed": False,
        "radius": 0.03,
        "positions": encoded(positions),
        "rotations": encoded(rotations),
        "velocities": None,
        "fields": [{"label": "bending", "unit": "1/m", "values": encoded(bending)}],
    }


PARTS = {
    "revolute": [["pin", 0], ["dial", 0]], "prismatic": [["slider", 0], ["rail", 0]],
    "cylindrical": [["slider", 0], ["pin", 0], ["rail", 0]], "spherical": [["ball", None]],
    "universal": [["pin", 0], ["pin", 1]], "planar": [["plate", 0]], "rigid": [["block", None]],
}  # fmt: skip
"""Parts of joints by name."""


def everything() -> Scene:
    """One of each kind of thing, with a ghost."""
    times = np.linspace(0.0, 4.0, 81)
    count = len(times)
    place = np.stack([moving(times, (0, 0, 0)), moving(times, (1, -1, 0.5))], axis=1)
    turns = np.zeros((count, 2, 4))
    turns[..., 0], turns[..., 3] = np.cos(times / 2)[:, None], np.sin(times / 2)[:, None]
    still = {"rotation": [1, 0, 0, 0], "at": [0, 0, 0]}
    up = np.tile([0.0, 0.0, 1.0], (count, 1))
    first, second = place[:, 0], place[:, 1]
    direction = second / np.linalg.norm(second, axis=1)[:, None]
    point = encoded(moving(times, (0, 1, 0))[:, None])
    shapes = [
        {"body": 0, "kind": "box", "size": [0.3, 0.2, 0.1], "color": None, **still},
        {"body": 0, "kind": "arrow", "radius": 0.02, "length": 0.5, "color": "#8040c0", **still},
        {"body": 1, "kind": "capsule", "radius": 0.08, "length": 0.3, "color": None, **still},
        {"body": 1, "kind": "tube", "radius": 0.15, "inner_radius": 0.1, "length": 0.1, "color": None, **still},
    ]
    joints = [
        {"name": name, "parts": parts, "at": encoded(first), "other": encoded(second), "axes": [encoded(up)] * 2,
         "limits": [-1.0, 1.0], "coordinate": encoded(np.sin(times)), "driven": name in ("revolute", "prismatic")}
        for name, parts in PARTS.items()
    ]  # fmt: skip
    arrows = [
        {"name": "weight", "group": "loads", "unit": "N", "at": encoded(first), "vectors": encoded(-9.81 * up)},
        {"name": "pin", "group": "constraint forces", "unit": "N", "at": encoded(second), "vectors": encoded(second)},
    ]
    outputs = [
        {"label": "height", "unit": "m", "components": ["height"], "values": encoded(place[:, 0, 2:])},
        {"label": "place", "unit": "m", "components": ["place[0]", "place[1]", "place[2]"], "values": encoded(first)},
    ]
    content = {
        "bodies": bodies(place, turns),
        "shapes": shapes,
        "points": {"names": ["point"], "positions": point, "velocities": None, "radius": 0.05},
        "rods": [rod(times)],
        "spheres": [
            {
                "name": "q",
                "centers": encoded(np.tile([2.0, 0, 0], (count, 1, 1))),
                "radius": 0.4,
                "directions": encoded(direction[:, None]),
                "rates": encoded(up[:, None]),
            },
        ],
        "momenta": [{"name": "mu", "values": encoded(up + 0.2 * first)}],
        "joints": joints,
        "lines": [{"name": "spring", "from": encoded(first), "to": encoded(second)}],
        "arrows": arrows,
        "outputs": outputs,
    }  # fmt: skip
    shown = solution(
        times,
        **content,
        ends_early_at=4.0,
        events=[{"t": EVENTS[0], "name": "first"}, {"t": EVENTS[1], "name": "second"}],
    )
    shown["notes"] = ["Drawn are 81 of 162 states."]
    return scene_of(shown, solution(times, label="ghost", **{**content, "bodies": bodies(place + 0.2, turns)}))


def marked(times: np.ndarray, at: np.ndarray, color: str) -> tuple[Scene, Any]:
    """A body that flies and turns, with a small ball of a colour at a point of it, and where that is at any time."""

    def pose(t: Any) -> tuple[np.ndarray, np.ndarray]:
        t = np.asarray(t, dtype=float)
        turn = np.stack([np.cos(t / 2), 0 * t, np.sin(t / 2) * 0.6, np.sin(t / 2) * 0.8], axis=-1)
        return np.stack([0.3 * t**3 - t, 0.5 * t**2, 1 - 0.2 * t**3], axis=-1), turn

    def place(t: float) -> np.ndarray:
        origin, (w, *axis) = pose(t)
        return origin + at + 2 * np.cross(axis, np.cross(axis, at) + w * at)

    positions, rotations = pose(times)
    velocities = np.stack([0.9 * times**2 - 1, times, -0.6 * times**2], axis=-1)
    flying = bodies(positions[:, None], rotations[:, None]) | {"velocities": encoded(velocities[:, None])}
    ball = {"body": 0, "kind": "sphere", "radius": 0.04, "at": at.tolist(), "color": color}
    return scene_of(solution(times, bodies=flying, shapes=[ball])), place
