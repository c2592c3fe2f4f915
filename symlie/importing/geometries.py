"""Shapes that views draw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symlie.contract.shapes import LARGEST_MESH
from symlie.importing.description import ShapeData
from symlie.importing.frames import pose_of
from symlie.importing.reading import Reading
from symlie.importing.urdf import UrdfShape, hexadecimal
from symlie.utilities.packages import is_installed

_MESH = 7
"""Number of the type of meshes in the compiler."""


def geometries(reading: Reading) -> list[ShapeData]:
    """Return the visible geometries of a compiled file."""
    m = reading.compiled
    found = list[ShapeData]()
    if reading.skipped.ignores("shapes"):
        reading.skipped.add("shapes", "all")
        return found
    for g in range(m.ngeom):
        if int(m.geom_group[g]) > 2:
            continue
        link, offset = reading.where[m.geom_bodyid[g]]
        pose = offset.then(pose_of(m.geom_pos[g], m.geom_quat[g]))
        size = [float(s) for s in m.geom_size[g]]
        rgba = m.mat_rgba[m.geom_matid[g]] if m.geom_matid[g] >= 0 else m.geom_rgba[g]
        shapes: dict[int, tuple[str, tuple[float, ...]]] = {
            0: ("box", (2 * size[0] or 10.0, 2 * size[1] or 10.0, 1e-3)),
            2: ("sphere", (size[0],)),
            3: ("capsule", (size[0], 2 * size[1])),
            5: ("cylinder", (size[0], 2 * size[1])),
            6: ("box", (2 * size[0], 2 * size[1], 2 * size[2])),
        }
        kind = int(m.geom_type[g])
        if kind in shapes:
            found.append(ShapeData(link, *shapes[kind], pose, hexadecimal(rgba)))
        elif kind == _MESH and (file := _mesh_file(reading, int(m.geom_dataid[g]))):
            k = int(m.geom_dataid[g])
            own = pose.then(pose_of(m.mesh_pos[k], m.mesh_quat[k]).inverse())
            scale = [float(c) for c in m.mesh_scale[k]]
            if problem := _mesh_problem(file, scale):
                reading.skipped.add("shapes", f"{file.name}, {problem}")
            else:
                found.append(ShapeData(link, "mesh", (scale[0],), own, hexadecimal(rgba), str(file)))
        else:
            reading.skipped.add("shapes", m.geom(g).name or f"geometry {g}")
    return found


def visuals(reading: Reading, shapes: Sequence[UrdfShape]) -> list[ShapeData]:
    """Return the visual shapes of a URDF file."""
    found = list[ShapeData]()
    for shape in shapes:
        link, offset = reading.where[reading.compiled.body(shape.link).id]
        pose = offset.then(shape.pose)
        if shape.file is None:
            found.append(ShapeData(link, shape.kind, shape.sizes, pose, shape.color))
        elif problem := _mesh_problem(shape.file, shape.sizes):
            reading.skipped.add("shapes", f"{shape.file.name}, {problem}")
        else:
            found.append(ShapeData(link, "mesh", shape.sizes[:1], pose, shape.color, str(shape.file)))
    return found


def _mesh_file(reading: Reading, mesh: int) -> Path | None:
    """Return the file of a mesh, or None if the file of the robot contains it."""
    m = reading.compiled
    start = int(m.mesh_pathadr[mesh]) if mesh >= 0 else -1
    if start < 0:
        return None
    path = Path(m.paths[start : m.paths.index(b"\0", start)].decode())
    return path if path.is_file() else None


def _mesh_problem(file: Path, scale: Sequence[float]) -> str:
    """Return why a mesh cannot be drawn, or nothing."""
    if len(set(scale)) > 1 or scale[0] <= 0:
        return "whose scale is not one positive number"
    if not is_installed("trimesh"):
        return "which needs trimesh"
    import trimesh

    if file.suffix.lower().removeprefix(".") not in trimesh.available_formats():
        return "a format that trimesh does not read"
    return "larger than views draw" if file.stat().st_size > LARGEST_MESH * 1e6 else ""
