"""Write ``docs/joints.md`` and its drawings from the constraint equations of each joint.

    python docs/joints.py

The equations are typeset, and the arrows of the drawings are the free motions.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from sympy import Expr, Matrix, Symbol, latex, sympify

import symlie as sl
from symlie.elements.joints import rolling
from symlie.elements.joints.frames import Frame
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.rows import JointDefinition
from symlie.modeling.expressions import vector
from symlie.modeling.symbolic import SymbolicMatrix

FOLDER = Path(__file__).parent

KINDS: dict[type[Joint], tuple[str, str]] = {
    sl.RigidJoint: ("rigid", "at=[0, 0, 0]"),
    sl.RevoluteJoint: ("revolute", "at=[0, 0, 0], axis=[0, 1, 0]"),
    sl.PrismaticJoint: ("prismatic", "at=[0, 0, 0], axis=[1, 0, 0]"),
    sl.CylindricalJoint: ("cylindrical", "at=[0, 0, 0], axis=[1, 0, 0]"),
    sl.ScrewJoint: ("screw", "at=[0, 0, 0], axis=[1, 0, 0], lead=0.01"),
    sl.SphericalJoint: ("spherical", "at=[0, 0, 0]"),
    sl.UniversalJoint: ("universal", "at=[0, 0, 0], axis=[[0, 1, 0], [0, 0, 1]]"),
    sl.ConstantVelocityJoint: ("constant velocity", "at=[0, 0, 0], axis=[[1, 0, 0], [1, 0, 0]]"),
    sl.PlanarJoint: ("planar", "at=[0, 0, 0], axis=[0, 0, 1]"),
    sl.PointOnLineJoint: ("point on line", "at=[0, 0, 0], axis=[1, 0, 0]"),
    sl.InLineJoint: ("in line", "at=[0, 0, 0], axis=[1, 0, 0]"),
    sl.PointOnPlaneJoint: ("point on plane", "at=[0, 0, 0], axis=[0, 0, 1]"),
    sl.OrientationJoint: ("orientation", "at=[0, 0, 0]"),
    sl.DistanceJoint: ("distance", "at=[[0, 0, 1], [0, 0, 0]]"),
    sl.RollingContact: ("rolling", "radius=0.5, axis=[0, 1, 0]"),
}
"""Kinds with their names, and the arguments of an example of each."""

HEAD = """# Joints

This page lists the constraint equations, coordinates and multipliers of each joint. [Bodies](bodies.md#joints)
describes how to define and use joints. `docs/joints.py` generates this page.

A joint connects a frame of the first body with a frame of the second body. Each frame has a point p and axes x, y, z:
**a** denotes the axes of the first frame, **b** the axes of the second frame, and **d** = **p**_B - **p**_A. The joint
axis is z, or x for joints in the plane. The multipliers λ are in the order of the equations; λ acts on the first body
and -λ on the second. The drawings show the first body in grey, the second in blue, and the free motions in red.

`model.compliance(joint, values)` assigns a compliance to each equation, in m/N for lengths and rad/(N m) for angles.
Compliances determine the [reactions of redundant constraints](statement.md#redundant-constraints).

```python
import symlie as sl
```
"""


TAIL = '''
## Custom joints

`symlie.joints` exports the primitives of the joints above. A custom joint is a subclass of `Joint`, or of `MovingJoint`
if it has free coordinates. The class attributes of a custom joint are:

| attribute | content |
|---|---|
| `kind` | beginning of the names of its element types |
| `space`, `plane` | `JointDefinition`: constraint equations, free coordinates and appearance |
| `has_axis` | true if `axis` is an argument |
| `parameters`, `parameter_values` | parameters with defaults and units, `{"length": (1.0, "m")}`, and values by name |

A class with parameters sets their values, `self.parameter_values = {"length": length}`, before `super().__init__`.

An equation is a function `f(a, b, values)` that returns a list of expressions. `a.point` and `a.axis(X)` of the frames
a and b are in inertial axes; `values["length"]` is a parameter. The following functions are available:

| name | equations |
|---|---|
| `coincident_points` | **d** = 0 |
| `in_plane(i)` | **a**_i · **d** = 0 |
| `perpendicular_axes(i, j)` | **a**_i · **b**_j = 0 |
| `PARALLEL_AXES` | **a**_z · **b**_x = **a**_z · **b**_y = 0 |
| `EQUAL_ORIENTATION` | **a**_x · **b**_y = **a**_z · **b**_x = **a**_z · **b**_y = 0 |
| `no_twist` | **a**_y · **b**_x - **a**_x · **b**_y = 0 |

`Shift(name, rate, along=Z)` is a displacement along an axis of a. `Turn(name, rate)` is an angle about z, in the plane
the angle. `positive` contains expressions that are positive except on mirrored branches. The appearance is a tuple of
`Part(shape, axis)` with the shapes pin, slider, ball, plate, block, rail and dial and the axes a_x, …, b_z.

Drives, locks, stops, loads, initial coordinates and reactions are the same as for built-in joints. Minimal coordinates
are also available if the joint coordinates determine the relative pose.

A pin in a slot slides along x and rotates about z:

```python
from symlie.joints import (
    PARALLEL_AXES,
    JointDefinition,
    MovingJoint,
    Part,
    Shift,
    Turn,
    X,
    Y,
    Z,
    in_plane,
    perpendicular_axes,
)


class PinInSlot(MovingJoint):
    """A pin of the second body in a slot of the first: a_y·d = a_z·d = a_z·b_x = a_z·b_y = 0."""

    kind = "pin_in_slot"
    has_axis = True
    space = JointDefinition(
        (in_plane(Y), in_plane(Z), *PARALLEL_AXES),
        (Shift("travel", "speed", X), Turn("angle", "rate")),
        positive=(perpendicular_axes(Z, Z),),  # the axes are not opposite
        appearance=(Part("slider", "a_x"), Part("pin", "b_z"), Part("rail", "a_x")),
    )


model = sl.Model("pin_in_slot")
body = sl.RigidBody(model, "body", 1.0, [0.1, 0.1, 0.1], position=[0, 0, -0.5])
slot = sl.Marker(model.ground, [0, 0, 0], axis=[0, 1, 0], across=[1, 0, 0])
joint = PinInSlot(model, "joint", slot, body)
joint.limit(-0.5, 0.5, stiffness=1e4)
joint.place(travel=0.2, angle=0.5)
model.gravity([0, 0, -9.81])
solution = sl.solve(model.derive().compile(backend="numpy"), 1.0, h=1e-3)
print(solution.system.mobility().line)
solution.view().save("pin_in_slot.html")
```
'''

Array = NDArray[np.float64]

READ: dict[Expr, str] = {}
"""Symbols of products with their LaTeX."""

SIZE, SCALE = (220, 170), 62
"""Width and height of a drawing, and pixels of a length of one."""

VIEW = np.array([[-0.82, 0.82, 0.0], [0.42, 0.42, -0.92]])
"""Pixels to the right and down along x, y and z, over `SCALE`."""

GREY, BLUE, RED = "#666666", "#1f5fa8", "#c8321e"

LEAD = 2 * np.pi
"""Lead of the drawn screw: arrows of rotation and translation have equal lengths."""


class Arrow:
    """A vector by its name, for typesetting of constraint equations."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __sub__(self, other: Arrow) -> Arrow:
        return Arrow(r"\mathbf d")

    def __iter__(self) -> Iterator[Expr]:
        return iter([_read(self.name)])

    def dot(self, other: Arrow) -> Expr:
        """Return the product of both as a symbol."""
        return _read(rf"{self.name} \cdot {other.name}")


def _read(text: str) -> Expr:
    """Return the symbol that is typeset as a text."""
    known = {read: symbol for symbol, read in READ.items()}
    symbol = known.get(text, Symbol(f"s{len(READ)}"))
    READ[symbol] = text
    return symbol


@dataclass
class NamedFrame:
    """A frame of named vectors, with the names that constraint equations use."""

    side: str
    named_parts: list[tuple[Expr, Expr]] = field(default_factory=list)

    @property
    def point(self) -> Arrow:
        """The point."""
        return Arrow(rf"\mathbf p_{self.side.upper()}")

    def axis(self, k: int) -> Arrow:
        """One of the axes."""
        return Arrow(rf"\mathbf {self.side}_{'xyz'[k]}")

    def named(self, part: Expr) -> Expr:
        """Return a symbol for an expression."""
        if part.is_Symbol:
            return part
        name = _read(r"\tau")
        self.named_parts.append((name, part))
        return name


def typeset(rows: JointDefinition) -> list[str]:
    """Return the holonomic constraint equations as LaTeX, with the named quantities."""
    a: Any = NamedFrame("a")
    b: Any = NamedFrame("b")
    values = {"length": Symbol("l"), "lead": Symbol("h"), "radius": Symbol("r")}
    lines = [f"{_latex(r)} &= 0" for row in rows.holonomic for r in row(a, b, values)]
    return lines + [f"{_latex(name)} &= {_latex(part)}" for name, part in a.named_parts]


def _latex(part: Expr) -> str:
    read = READ if part.is_Symbol else {s: rf"({text})" if "cdot" in text else text for s, text in READ.items()}
    return str(latex(part, symbol_names=read)).replace(r"\operatorname{atan}_{2}", r"\operatorname{atan2}")


def allowed(kind: type[Joint], rows: JointDefinition) -> Array:
    """Return the freedom of three translations of the second body along a and three rotations, from 0 to 1."""
    rest = np.eye(3)
    place = np.zeros(3)
    if kind is sl.UniversalJoint:
        rest = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    if kind in (sl.DistanceJoint, sl.RollingContact):
        place = np.array([0.0, 0, 1])
    values: Any = {name: sympify(x) for name, x in (("length", 1.0), ("lead", LEAD), ("radius", 1.0))}
    first = Frame(None, vector(0, 0, 0), SymbolicMatrix(Matrix(np.eye(3))))

    def at(motion: Array) -> Array:
        turn = Rotation.from_rotvec(motion[3:]).as_matrix()
        second = Frame(None, vector((place + motion[:3]).tolist()), SymbolicMatrix(Matrix(turn @ rest)))
        return np.array([float(r) for r in rows.vanishing(first, second, values)])

    step = 1e-5
    jacobian = np.array([(at(step * e) - at(-step * e)) / (2 * step) for e in np.eye(6)]).T
    if kind is sl.RollingContact:  # no slip of the point below
        jacobian = np.vstack([jacobian, [[1, 0, 0, 0, -1, 0], [0, 1, 0, 1, 0, 0]]])
    return np.asarray(np.diag(np.eye(6) - np.linalg.pinv(jacobian, rcond=1e-6) @ jacobian))


def drawing(kind: type[Joint], rows: JointDefinition) -> str:
    """The drawing as SVG."""
    free = allowed(kind, rows) > 0.01
    apart = np.array([0.0, 0, 0.55 if kind in (sl.DistanceJoint, sl.RollingContact) else 0.0])
    lines = [*_block(np.array([0, 0, -0.75]), GREY, (0.9, 0.9, 0.1)), _line([0, 0, -0.7], [0, 0, 0], GREY, 3)]
    for k in range(3):
        lines += [_line([0, 0, 0], 0.32 * np.eye(3)[k], GREY, 1), _text(0.4 * np.eye(3)[k], "xyz"[k])]
    if kind is sl.DistanceJoint:
        lines.append(_line([0, 0, 0], apart, GREY, 3))
    cube = apart + np.array([-0.45, 0.55, 0.5])
    lines += [_line(apart, cube, BLUE, 3), *_block(cube, BLUE, (0.3, 0.3, 0.3))]
    for k, axis in enumerate(np.eye(3)):
        if free[k]:
            lines.append(_path([apart + s * 0.62 * axis for s in (-1, 1)], both=True))
        if free[3 + k]:
            across, other = np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
            turn = np.linspace(-2.2, 2.2, 25)
            middle = apart + 0.78 * axis
            lines.append(_path([middle + 0.16 * (np.cos(s) * across + np.sin(s) * other) for s in turn], both=True))
            lines.append(_line(apart, apart + 0.78 * axis, RED, 0.5))
    dot = _pixel(apart)
    lines.append(f'<circle cx="{dot[0]}" cy="{dot[1]}" r="4" fill="white" stroke="black"/>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE[0]}" height="{SIZE[1]}" font-size="11">'
    tip = f'<path d="M0,0 L8,3 L0,6 z" fill="{RED}"/></marker></defs>'
    marker = '<defs><marker id="tip" markerWidth="8" markerHeight="6" refX="7" refY="3" orient="auto-start-reverse">'
    paper = f'<rect width="{SIZE[0]}" height="{SIZE[1]}" fill="white"/>'
    return "\n".join([head, marker + tip, paper, *lines, "</svg>", ""])


def _pixel(point: Any) -> tuple[str, str]:
    right, down = SCALE * (VIEW @ np.asarray(point, dtype=float))
    return f"{SIZE[0] / 2 - 5 + right:.1f}", f"{0.56 * SIZE[1] + down:.1f}"


def _line(start: Any, end: Any, color: str, width: float) -> str:
    (x, y), (u, v) = _pixel(start), _pixel(end)
    return f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="{color}" stroke-width="{width}"/>'


def _text(place: Array, text: str) -> str:
    x, y = _pixel(place)
    return f'<text x="{x}" y="{y}" fill="{GREY}" text-anchor="middle">{text}</text>'


def _path(points: list[Array], *, both: bool) -> str:
    steps = " ".join(",".join(_pixel(p)) for p in points)
    tips = 'marker-end="url(#tip)"' + (' marker-start="url(#tip)"' if both else "")
    return f'<polyline points="{steps}" fill="none" stroke="{RED}" stroke-width="1.5" {tips}/>'


def _block(center: Array, color: str, sides: tuple[float, float, float]) -> list[str]:
    corners = [center + np.array(s) * sides / 2 for s in itertools.product((-1, 1), repeat=3)]
    edges = [(i, j) for i in range(8) for j in range(i) if (i ^ j) in (1, 2, 4)]
    return [_line(corners[i], corners[j], color, 1) for i, j in edges]


def example(kind: type[Joint], name: str, stated: str) -> str:
    """Return five lines that define a body with the joint and print its mobility."""
    label = name.replace(" ", "_")
    return f"""model = sl.Model("{label}")
body = sl.RigidBody(model, "body", 1.0, [0.1, 0.1, 0.1], position=[0, 0, 0.5])
joint = sl.{kind.__name__}(model, "joint", model.ground, body, {stated})
model.gravity([0, 0, -9.81])
print(model.derive().compile(backend="numpy").mobility().line)
"""


def section(kind: type[Joint], name: str, stated: str) -> str:
    """Return the section of one kind."""
    rows = rolling.DISK if kind is sl.RollingContact else kind.space
    assert rows is not None
    text = inspect.getdoc(kind) or ""
    summary, _, rest = text.partition("\n\n")
    spoken = " ".join(rest.partition("\nParameters\n")[0].split())
    said = re.split(r"(?=(?:Coordinates|Multipliers): )", spoken if "Multipliers" in spoken else summary)
    what = re.split(r"(?: of d = |: )", " ".join(summary.split()))[0].rstrip(".") + "."
    if kind is sl.RollingContact:
        what = summary
    multipliers = next(s for s in said if s.startswith("Multipliers")).removeprefix("Multipliers: ").strip()
    lines = typeset(rows)
    if kind is sl.RollingContact:
        lines += [rf"\mathbf a_{k} \cdot (\mathbf v_B(\mathbf c) - \mathbf v_A(\mathbf c)) &= 0" for k in ("x", "y")]
    coordinates = ", ".join(f"`{c.name}` in {c.unit} with `{c.rate}` in {c.rate_unit}" for c in rows.coordinates)
    plane = " This joint is also available in the plane." if kind.plane is not None else ""
    return f"""
## {kind.__name__}

{what}{plane}

![Free motions of the {name} joint](joints/{name.replace(" ", "_")}.svg)

$$
\\begin{{aligned}}
{(" " + chr(92) * 2 + chr(10)).join(lines)}
\\end{{aligned}}
$$

- Coordinates: {coordinates or "none"}.
- Multipliers: {multipliers}

```python
{example(kind, name, stated)}```
""".replace("\\\\begin", "\\begin").replace("\\\\end", "\\end")


def documents() -> dict[Path, str]:
    """Return all files with their texts."""
    files = {FOLDER / "joints.md": HEAD + "".join(section(k, *given) for k, given in KINDS.items()) + TAIL}
    for kind, (name, _) in KINDS.items():
        rows = rolling.DISK if kind is sl.RollingContact else kind.space
        assert rows is not None
        files[FOLDER / "joints" / f"{name.replace(' ', '_')}.svg"] = drawing(kind, rows)
    return files


if __name__ == "__main__":
    for path, text in documents().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
