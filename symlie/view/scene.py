"""Data of a page: the spatial poses at the drawn times, for one or more solutions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.contract.attached_shapes import GROUND
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.version import VERSION
from symlie.view.bodies import (
    bodies_entry,
    directions_of,
    ground,
    known_bodies,
    momenta_of,
    points_entry,
    shape_entries,
    spheres_entry,
)
from symlie.view.frames import (
    LARGEST_TURN,
    all_moments,
    at_states,
    chosen_states,
    finite_part,
    largest_error,
    largest_turn,
)
from symlie.view.held_points import held_points
from symlie.view.joints import connections, joint_entry, line_entry, reaction_entries
from symlie.view.lines import known_forces, lines_of, on_lines, rod_entry
from symlie.view.loads import MOST_ARROWS, constraint_force_entries, gravity_of, load_entries, up_of, weight_entries
from symlie.view.outputs import output_entries, point_tracks
from symlie.view.packing import panels, times
from symlie.view.poses import Track, all_tracks, parts_of
from symlie.view.sticks import stick_entry, sticks

FORMAT = 2
"""Version of the data format, checked by the script of the page."""


def scene_of(solutions: Sequence[Solution]) -> Content:
    """Return the data of a page, with further solutions as ghosts, or raise `ModelError` if they cannot be drawn
    together."""
    names = [s.system.name for s in solutions]
    other = next((name for name in names if name != names[0]), None)
    if other is not None:
        raise ModelError(
            f"A view shows solutions of one model; these belong to '{names[0]}' and '{other}'. Draw each in a "
            "separate view."
        )
    drawn = [_drawn(s, label) for s, label in zip(solutions, _labels(solutions), strict=True)]
    return {
        "format": FORMAT,
        "model": names[0],
        "made_by": f"symlie {VERSION}",
        "up": drawn[0][1],
        "solutions": [content for content, _ in drawn],
        "ground": True,
        "length_unit": "m",
    }


def _labels(solutions: Sequence[Solution]) -> list[str]:
    """Return distinct labels of solutions: their methods, with numbers if the methods coincide."""
    methods = [s.method or "state" for s in solutions]
    return [m if methods.count(m) == 1 else f"{m} ({k + 1})" for k, m in enumerate(methods)]


def _drawn(solution: Solution, label: str) -> tuple[Content, list[float]]:
    """Return the drawing of a solution and the upward direction."""
    name, finite = solution.system.name, finite_part(solution)
    if not len(solution.t):
        raise ModelError(f"The solution of '{name}' is empty: it has no states to draw.")
    if not len(finite.solution.t):
        raise ModelError(f"The solution of '{name}' is NaN from its first state; nothing can be drawn.")
    notes: list[str] = []
    if finite.ends_early_at is not None:
        notes.append(f"The solution is not a number from t = {finite.ends_early_at:.6g} s on.")
    if solution.status not in ("ok", "event"):
        notes.append(f"The run ended at t = {solution.t[-1]:.6g} s with a {solution.status}.")
    few, found = _thinned(finite.solution, notes)
    extent = _extent(found)
    found += point_tracks(few, found, extent)
    if not found and not directions_of(few) and not momenta_of(few):
        raise ModelError(
            f"Nothing of '{name}' has a position: a view shows bodies, points on R2 and R3, rods, points of spheres, "
            "momenta and outputs in m with two or three components. solution.plot() draws everything over time."
        )
    gravity = gravity_of(few)
    in_space = _in_space(few, found, extent, gravity, notes)
    content = {
        "label": label,
        "time_unit": "s",
        "times": times(few.t),
        "notes": notes,
        "ends_early_at": finite.ends_early_at,
        "events": [{"t": e.t, "name": e.name} for e in solution.events if e.t <= few.t[-1]],
        **in_space,
        "outputs": output_entries(few, notes),
    }
    return content, up_of(gravity)


def _thinned(solution: Solution, notes: list[str]) -> tuple[Solution, list[Track]]:
    """Return the selected states and their tracks, and add notes on omitted states."""
    dense = all_moments(solution)
    found = all_tracks(dense)
    chosen = chosen_states(dense.t, found, [e.t for e in solution.events])
    few = at_states(dense, chosen) if len(chosen) < len(dense.t) else dense
    if few is not dense:
        moved, turned = largest_error(dense.t, found, chosen)
        others = f"the others are within {moved:.2g} m and {turned:.2g} rad of the drawn motion"
        how = others if found else "they are evenly spread over time"
        notes.append(f"Drawn are {len(few.t):,} of {len(dense.t):,} states; {how}.")
        found = all_tracks(few)
    turn = largest_turn(few.t, found)
    if turn > LARGEST_TURN:
        notes.append(
            f"Between two states bodies turn by up to {turn:.3g} rad; what is drawn between them may turn the wrong "
            "way round. Record more states."
        )
    return few, found


def _in_space(
    solution: Solution, found: list[Track], extent: float, gravity: Array | None, notes: list[str]
) -> Content:
    """Return the drawings of all spatial objects."""
    attached = solution.system.shapes
    known = known_bodies(solution)
    lines = lines_of(solution, found)
    through, shaped = on_lines(lines), {s.node for s in attached}
    _note_shapes(shaped, found, notes)
    owners = {(s.node, s.index) for s in attached}
    bodies = [
        k for k in found
        if (k.rotations is not None and (k.node, k.index) not in through)
        or (k.node, k.index) in owners or (k.node, None) in owners
    ]  # fmt: skip
    points = [k for k in found if k.rotations is None and k not in bodies]
    if GROUND in shaped:
        bodies.append(ground(len(solution.t)))
    joined = connections(solution, _by_number(solution, found))
    content: Content = {}
    if bodies:
        shapes = shape_entries(bodies, attached, known, [j for j in joined if j.is_joint], extent)
        content |= {"bodies": bodies_entry(bodies, extent), "shapes": shapes}
    if points:
        content["points"] = points_entry(points, extent)
    content["rods"] = [rod_entry(line, known, extent, known_forces(solution, line)) for line in lines]
    content["joints"] = [joint_entry(solution, j, extent) for j in joined if j.is_joint]
    content["lines"] = [line_entry(j, extent) for j in joined if not j.is_joint]
    free = [k for k in found if (k.node, k.index) not in through]
    if len(free) <= MOST_ARROWS:
        content["arrows"] = [
            *weight_entries(free, known, gravity),
            *load_entries(solution, free, known, gravity),
            *reaction_entries(solution, [j for j in joined if j.is_joint]),
            *constraint_force_entries(solution, free),
        ]
    else:
        notes.append(f"Forces have no arrows: these are {len(free)} bodies and points, and at most {MOST_ARROWS} have.")
    apart, alone = sticks([] if lines else directions_of(solution), free, extent)
    places = [j.points[0] for j in joined if j.is_joint]
    held = held_points(solution, free, places, extent) if len(free) <= MOST_ARROWS else []
    content["lines"] += [stick_entry(stick, extent) for stick in [*apart, *held]]
    content["spheres"] = [spheres_entry(name, q, rates, np.zeros_like(q)) for name, q, rates in alone]
    content["momenta"] = [{"name": name, "values": panels(values)} for name, values in momenta_of(solution)]
    return {key: value for key, value in content.items() if value}


def _note_shapes(shaped: set[str], found: list[Track], notes: list[str]) -> None:
    missing = sorted(shaped - {k.node for k in found} - {GROUND})
    if missing:
        notes.append(f"Shapes of {', '.join(missing)} are not drawn: these nodes have no position.")


def _by_number(solution: Solution, found: list[Track]) -> dict[int, Track]:
    """Return the spatial nodes with a single part by their number in the model."""
    known = {(k.node, k.index): k for k in found}
    numbers, number = {}, 0
    for node in solution.system.layout.nodes:
        for k in range(node.count):
            track = known.get((node.name, k if node.is_array else None))
            if track is not None and len(parts_of(node.type)) == 1:
                numbers[number] = track
            number += 1
    return numbers


def _extent(found: Sequence[Track]) -> float:
    """Return the largest extent of all positions, in m; one if it is zero."""
    placed = [k.positions for k in found]
    if not placed:
        return 1.0
    size = float(np.ptp(np.concatenate(placed), axis=0).max())
    return size or 1.0
