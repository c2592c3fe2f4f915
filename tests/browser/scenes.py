"""Scenes stated by hand: what the script draws, without a solution."""

from __future__ import annotations

from typing import Any

import numpy as np

from symlie.encoding import encoded
from symlie.view.page import page_of

Scene = dict[str, Any]


def scene_of(*solutions: dict[str, Any], **settings: Any) -> Scene:
    """A scene of solutions as `solution` gives them."""
    return {
        "format": 1,
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
    """Bodies at positions (n, count, 3), turned by unit quaternions (n, count, 4)."""
    count = positions.shape[1]
    return {
        "names": names or [f"body {i}" for i in range(count)],
        "positions": encoded(positions),
        "rotations": encoded(rotations),
        "velocities": None,
        "fixed": [False] * count,
    }


def boxes(count: int, frames: int = 60) -> Scene:
    """Boxes in a square that go round and turn about the vertical, each at its own speed."""
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


def page(scene: Scene) -> str:
    """The page of a scene."""
    return page_of(scene["model"], scene)
