"""Objects are drawn at the right positions with the expected number of calls."""

from __future__ import annotations

import numpy as np
import pytest

from symlie.utilities.encoding import encoded
from tests.browser.conftest import Open
from tests.browser.scenes import bodies, boxes, everything, marked, scene_of, solution
from tests.tolerances import PIXELS

MARK = "#ff00d4"


def test_thousand_boxes_are_one_draw_call(open_page: Open) -> None:
    view = open_page(boxes(1000, frames=2))
    view.call("markColors", True)
    assert view.call("drawCalls") == 1


def test_shapes_of_one_type_share_a_draw_call(open_page: Open) -> None:
    view = open_page(everything())
    view.call("markColors", True)
    few = view.call("drawCalls")
    scene = everything()
    for solution_ in scene["solutions"]:
        solution_["shapes"] += [shape | {"at": [0.3, 0.3, 0.3]} for shape in solution_["shapes"]]
    more = open_page(scene)
    more.call("markColors", True)
    assert more.call("drawCalls") == few


def test_marked_point_matches_the_numpy_projection(open_page: Open) -> None:
    generator = np.random.default_rng(1)
    times = np.sort(generator.uniform(0, 3, 12))
    at = np.array([0.5, -0.2, 0.3])
    scene, place = marked(times, at, MARK)
    view = open_page(scene)
    view.call("markColors", True)
    for time in generator.uniform(times[0], times[-1], 20):
        view.call("setTime", time)
        found = view.found(MARK)
        assert found is not None
        assert np.abs(found - view.projected(place(time))).max() < PIXELS


def test_given_camera_is_used(open_page: Open) -> None:
    scene, place = marked(np.linspace(0, 1, 5), np.array([0.1, 0.2, 0.3]), MARK)
    view = open_page(scene)
    view.call("markColors", True)
    view.call("setCamera", {"position": [4, 1, -2], "target": [0, 0, 0], "up": [0, 1, 0]})
    found = view.found(MARK)
    assert found is not None
    assert np.abs(found - view.projected(place(0.0))).max() < PIXELS


@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder", "capsule", "arrow", "tube", "mesh"])
def test_shapes_have_the_specified_size(open_page: Open, kind: str) -> None:
    corner = [[0, 0, 0], [0.6, 0, 0], [0, 0.4, 0], [0, 0, 0.8]]
    shape = {
        "box": {"size": [0.6, 0.4, 0.8]},
        "sphere": {"radius": 0.3},
        "cylinder": {"radius": 0.3, "length": 0.8},
        "capsule": {"radius": 0.3, "length": 0.4},
        "arrow": {"radius": 0.05, "length": 0.8},
        "tube": {"radius": 0.3, "inner_radius": 0.2, "length": 0.8},
        "mesh": {
            "vertices": encoded(corner),
            "triangles": encoded([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "int32"),
        },
    }[kind]
    # Lowest and highest point along x and z, seen along y from far away.
    extents = {
        "box": (-0.3, 0.3, -0.4, 0.4), "sphere": (-0.3, 0.3, -0.3, 0.3), "cylinder": (-0.3, 0.3, -0.4, 0.4),
        "capsule": (-0.3, 0.3, -0.5, 0.5), "arrow": (-0.11, 0.11, 0.0, 0.8), "tube": (-0.3, 0.3, -0.4, 0.4),
        "mesh": (0.0, 0.6, 0.0, 0.8),
    }[kind]  # fmt: skip
    still = bodies(np.zeros((1, 1, 3)), np.array([[[1.0, 0, 0, 0]]]))
    view = open_page(
        scene_of(solution(np.zeros(1), bodies=still, shapes=[{"body": 0, "kind": kind, "color": MARK, **shape}]))
    )
    view.call("markColors", True)
    view.call("setCamera", {"position": [0, -200, 0], "target": [0, 0, 0], "up": [0, 0, 1]})
    view.page.evaluate("symlieView.setCamera({position: [0, -4, 0], target: [0, 0, 0], up: [0, 0, 1]})")
    rows, columns = np.nonzero(np.abs(view.screenshot() - [255, 0, 212]).max(axis=2) <= 3)
    camera = view.call("camera")
    scale = camera["projection"][5] * camera["height"] / 2  # pixels of a length of one at a distance of one
    seen = np.array([columns.min(), columns.max() + 1, rows.min(), rows.max() + 1], dtype=float)
    seen[:2] -= camera["left"] + camera["width"] / 2
    seen[2:] = camera["top"] + camera["height"] / 2 - seen[:1:-1]
    nearest, farthest = 4 - 0.4, 4 + 0.4  # what is nearer looks larger
    for value, expected in zip(seen / scale, extents, strict=True):
        bounds = sorted([expected / nearest, expected / farthest])
        assert bounds[0] - PIXELS / scale <= value <= bounds[1] + PIXELS / scale


def test_rods_are_coloured_by_a_field(open_page: Open) -> None:
    view = open_page(everything())
    assert view.page.locator("#color-label").text_content() == "bending [1/m]"
    assert view.page.locator("#color-lower").text_content() == "−2"
    view.page.keyboard.press("c")
    assert not view.page.locator("#color-bar").is_visible()
