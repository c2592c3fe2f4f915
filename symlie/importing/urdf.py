"""Parts of URDF files that MuJoCo's compiler does not read: visual shapes and constraints that close loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from symlie.errors import FormatError
from symlie.importing.description import Array, Link, Pose
from symlie.importing.features import Skipped

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")

CONSTRAINT_TYPES = {
    "fixed": "RigidJoint",
    "revolute": "RevoluteJoint",
    "continuous": "RevoluteJoint",
    "prismatic": "PrismaticJoint",
    "cylindrical": "CylindricalJoint",
    "spherical": "SphericalJoint",
    "ball": "SphericalJoint",
}
"""Joint types in symlie of the types of constraints."""

_READ = {"link", "joint", "material", "constraint", "mujoco"}
"""Elements of a robot that are read; others are listed as skipped."""


_CHILDREN = {
    "link": ("visual", "collision", "inertial"),
    "joint": ("parent", "child", "origin", "axis", "dynamics", "limit", "mimic"),
}
"""Elements of links and joints that are read."""

_NOT_COMPILED = ("visual", "collision", "inertial", "mimic")
"""Elements that are read here, and not by the compiler, of which earlier versions ignore some."""

_TOUCHING = ("box", "sphere", "cylinder")
"""Shapes that all versions of the compiler read."""

_ANY_INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


@dataclass(frozen=True, eq=False)
class UrdfShape:
    """A visual shape of a link."""

    link: str
    kind: str
    sizes: tuple[float, ...]
    pose: Pose
    color: str | None
    file: Path | None = None


@dataclass(frozen=True, eq=False)
class UrdfConstraint:
    """A constraint that closes a loop."""

    name: str
    kind: str
    links: tuple[str, str]
    frames: tuple[Pose, Pose]


@dataclass(frozen=True)
class UrdfMimic:
    """A joint that follows another one: c = factor · d + offset."""

    joint: str
    other: str
    factor: float
    offset: float


def check_joints(path: Path, root: ElementTree.Element) -> None:
    """Raise `FormatError` for the first joint of an unknown type, or for two links or joints of one name."""
    if root.tag != "robot":
        raise FormatError(f"{path} is not a URDF file: its root is <{root.tag}>, not <robot>.")
    for tag in ("link", "joint"):
        names = [e.get("name", "") for e in root.findall(tag)]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise FormatError(f"{path} defines two {tag}s of the name '{twice}'; rename one.")
    for joint in root.findall("joint"):
        if joint.get("type") not in JOINT_TYPES:
            raise FormatError(
                f"Joint '{joint.get('name')}' of {path} has the type '{joint.get('type')}', which has no counterpart; "
                f"known types are: {', '.join(JOINT_TYPES)}."
            )


def without_shapes(path: Path, root: ElementTree.Element, skipped: Skipped) -> ElementTree.Element:
    """Return the root with only what the compiler reads, and list what is skipped.

    Masses and inertias of links are explicit in URDF, so that no shape affects the motion; `inertials` reads them, and
    the compiler, which rejects some of them, gets others.
    """
    stripped = ElementTree.Element("robot", {"name": root.get("name", path.stem)})
    settings = ElementTree.SubElement(ElementTree.SubElement(stripped, "mujoco"), "compiler")
    settings.attrib |= {"fusestatic": "false", "inertiafromgeom": "false", "autolimits": "true"}
    for element in root:
        if element.tag in ("link", "joint"):
            kept = ElementTree.SubElement(stripped, element.tag, element.attrib)
            kept.extend(child for child in element if child.tag not in _NOT_COMPILED)
            if element.tag == "link":
                kept.append(ElementTree.fromstring(_ANY_INERTIAL))
            kept.extend(_collisions(element, skipped))
            for child in element:
                if child.tag not in _CHILDREN[element.tag]:
                    skipped.add("extensions", f"{child.tag} of {element.get('name')}")
            if (limit := element.find("limit")) is not None and limit.get("velocity") is not None:
                skipped.add("ranges", f"velocity of {element.get('name')}")
        elif element.tag not in _READ:
            skipped.add("extensions", element.get("name") or element.tag)
    return stripped


def _collisions(link: ElementTree.Element, skipped: Skipped) -> Iterator[ElementTree.Element]:
    """Yield the shapes of a link that touch others, without names, and list those that are skipped."""
    name, found = link.get("name", ""), link.findall("collision")
    if found and not skipped.requested.contacts:
        skipped.add("contacts", name)
        return
    for collision in found:
        shapes = [shape for geometry in collision.findall("geometry") for shape in geometry]
        others = [shape.tag for shape in shapes if shape.tag not in _TOUCHING]
        if others:
            skipped.add("pairs", f"{others[0]} of {name}")
            continue
        collision.attrib.pop("name", None)
        yield collision


def inertials(path: Path, root: ElementTree.Element) -> dict[str, Link]:
    """Return mass, centre of mass and inertia of all links by name; links without an inertial have no mass."""
    found = {}
    for element in root.findall("link"):
        name, inertial = element.get("name", ""), element.find("inertial")
        if inertial is None:
            found[name] = Link(name)
            continue
        mass, matrix = inertial.find("mass"), inertial.find("inertia")
        pose, values = _origin(inertial.find("origin")), np.zeros((3, 3))
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            text = "0" if matrix is None else matrix.get(f"i{'xyz'[i]}{'xyz'[j]}", "0")
            values[i, j] = values[j, i] = _numbers(text, 1, name)[0]
        weight = 0.0 if mass is None else float(_numbers(mass.get("value", ""), 1, name)[0])
        turned = pose.turn @ values @ pose.turn.T
        found[name] = Link(name, weight, pose.place, (turned + turned.T) / 2)
    return found


def shapes(path: Path, root: ElementTree.Element) -> list[UrdfShape]:
    """Return the visual shapes of all links."""
    colors = {m.get("name"): _color(m) for m in root.findall("material")}
    found = []
    for link in root.findall("link"):
        for visual in link.findall("visual"):
            material = visual.find("material")
            color = None if material is None else _color(material) or colors.get(material.get("name"))
            geometry = visual.find("geometry")
            for shape in () if geometry is None else geometry:
                found.append(_shape(path, link.get("name", ""), shape, _origin(visual.find("origin")), color))
    return found


def mimics(path: Path, root: ElementTree.Element, skipped: Skipped) -> list[UrdfMimic]:
    """Return the couplings of hinges and sliders; list those of other joints, which do not follow."""
    kinds = {joint.get("name", ""): joint.get("type") for joint in root.findall("joint")}
    scalar = ("revolute", "continuous", "prismatic")
    found = []
    for joint in root.findall("joint"):
        element = joint.find("mimic")
        if element is None:
            continue
        name, other = joint.get("name", ""), element.get("joint", "")
        if other not in kinds:
            raise FormatError(f"Joint '{name}' of {path} follows the joint '{other}', which does not exist.")
        if other == name:
            raise FormatError(f"Joint '{name}' of {path} follows itself; name another joint in its mimic element.")
        if not {kinds[name], kinds[other]} <= {*scalar}:
            skipped.add("extensions", f"mimic of {name}")
            continue
        factor, offset = (
            float(_numbers(element.get(word, default), 1, name)[0])
            for word, default in (("multiplier", "1"), ("offset", "0"))
        )
        found.append(UrdfMimic(name, other, factor, offset))
    return found


def constraints(path: Path, root: ElementTree.Element) -> list[UrdfConstraint]:
    """Return the constraints that close loops."""
    known = {link.get("name") for link in root.findall("link")}
    found = []
    for element in root.findall("constraint"):
        name, kind = element.get("name", "constraint"), element.get("type", "")
        if kind not in CONSTRAINT_TYPES:
            raise FormatError(
                f"Constraint '{name}' of {path} has the type '{kind}', which has no counterpart; known types are: "
                f"{', '.join(CONSTRAINT_TYPES)}."
            )
        links, frames = [], []
        for side in ("parent", "child"):
            link = element.find(side)
            if link is None or link.get("link") is None:
                raise FormatError(f"Constraint '{name}' of {path} has no {side} link.")
            axis = element.find(f"{side}_axis")
            pose = _origin(element.find(f"{side}_origin"))
            along = np.array([1.0, 0, 0]) if axis is None else _numbers(axis.get("xyz", "1 0 0"), 3, name)
            if not np.any(along):
                raise FormatError(f"The {side} axis of constraint '{name}' of {path} is zero; give it a direction.")
            if link.get("link") not in known:
                raise FormatError(
                    f"Constraint '{name}' of {path} names the link '{link.get('link')}', which does not exist."
                )
            links.append(str(link.get("link")))
            if CONSTRAINT_TYPES[kind] not in ("RigidJoint", "SphericalJoint"):
                pose = pose.then(Pose(_axes_along(along)))
            frames.append(pose)
        found.append(UrdfConstraint(name, CONSTRAINT_TYPES[kind], (links[0], links[1]), (frames[0], frames[1])))
    return found


def _axes_along(axis: Array) -> Array:
    """Return orthonormal axes with z along a direction."""
    z = axis / np.linalg.norm(axis)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _shape(path: Path, link: str, shape: ElementTree.Element, pose: Pose, color: str | None) -> UrdfShape:
    def sizes(*names: str) -> tuple[float, ...]:
        return tuple(float(_numbers(shape.get(name, ""), 1, link)[0]) for name in names)

    if shape.tag == "box":
        return UrdfShape(link, "box", tuple(_numbers(shape.get("size", ""), 3, link)), pose, color)
    if shape.tag == "sphere":
        return UrdfShape(link, "sphere", sizes("radius"), pose, color)
    if shape.tag in ("cylinder", "capsule"):
        return UrdfShape(link, shape.tag, sizes("radius", "length"), pose, color)
    if shape.tag == "mesh":
        scale = _numbers(shape.get("scale", "1 1 1"), 3, link)
        file = mesh_file(path, shape.get("filename", ""), link)
        return UrdfShape(link, "mesh", tuple(scale), pose, color, file)
    raise FormatError(f"Link '{link}' of {path} has a shape of the unknown kind '{shape.tag}'.")


def mesh_file(path: Path, name: str, link: str) -> Path:
    """Return the file of a mesh; names of packages are searched in the folders above the file."""
    relative = name.removeprefix("file://")
    folder = path.resolve().parent
    if relative.startswith("package://"):
        package, _, rest = relative.removeprefix("package://").partition("/")
        places = [p / package / rest for p in (folder, *folder.parents)]
        places += [p / rest for p in (folder, *folder.parents) if p.name == package or p == folder]
    else:
        places = [folder / relative]
    found = next((p for p in places if p.is_file()), None)
    if found is None:
        raise FormatError(
            f"Link '{link}' of {path} needs the mesh '{name}', but there is no such file; import the robot without "
            'shapes: ignore=("shapes",).'
        )
    return found


def _origin(element: ElementTree.Element | None) -> Pose:
    if element is None:
        return Pose()
    place = _numbers(element.get("xyz", "0 0 0"), 3, "origin")
    roll, pitch, yaw = _numbers(element.get("rpy", "0 0 0"), 3, "origin")
    (ca, sa), (cb, sb), (cc, sc) = ((np.cos(x), np.sin(x)) for x in (roll, pitch, yaw))
    x = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    z = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    return Pose(z @ y @ x, place)


def _numbers(text: str, count: int, what: str) -> Array:
    try:
        found = np.array([float(part) for part in text.split()])
    except ValueError:
        found = np.zeros(0)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise FormatError(f"'{what}' needs {count} numbers, not '{text}'.")
    return found


def _color(material: ElementTree.Element) -> str | None:
    color = material.find("color")
    if color is None:
        return None
    return hexadecimal(_numbers(color.get("rgba", ""), 4, "color"))


def hexadecimal(rgba: Array) -> str:
    """Return a colour as ``#rrggbb``."""
    return "#" + "".join(f"{round(255 * min(max(float(c), 0.0), 1.0)):02x}" for c in rgba[:3])
