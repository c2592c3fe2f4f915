"""Robots from files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, get_args

import numpy as np

from symlie.elements.joints.minimal import MOST_VELOCITIES
from symlie.errors import ModelError, UnknownNameError
from symlie.importing.compiled import describe
from symlie.importing.compiler import compiled_file, compiled_text
from symlie.importing.description import BALL, FREE, Array, Configuration, Description, Pose
from symlie.importing.features import Requested, Skipped
from symlie.importing.loops import reduced
from symlie.importing.masses import check_masses
from symlie.importing.naming import model_name
from symlie.importing.printing import is_apart, model_file
from symlie.importing.urdf import check_joints, constraints, inertials, mimics, shapes, without_shapes
from symlie.importing.xml_files import check_assets, included_files, read_xml
from symlie.modeling.model import Model
from symlie.models.systems import system_of_text
from symlie.options import Backend, ImportCoordinates
from symlie.rotations import Rotation
from symlie.utilities.showing import line
from symlie.warnings import warn

if TYPE_CHECKING:
    from symlie.derive.equations import Equations
    from symlie.runtime.system.system import System


class Robot:
    """A robot from a file, see `from_urdf` and `from_mjcf`.

    Attributes
    ----------
    name
        Name of the model.
    coordinates
        ``"minimal"`` or ``"bodies"``.

    Examples
    --------
    >>> import symlie as sl
    >>> robot = sl.from_urdf("arm.urdf")  # doctest: +SKIP
    >>> robot.initial(elbow=0.3)  # doctest: +SKIP
    >>> solution = sl.solve(robot.compile(), 2)  # doctest: +SKIP
    >>> solution.outputs["elbow"]  # doctest: +SKIP
    """

    def __init__(self, description: Description, coordinates: ImportCoordinates, folder: Path) -> None:
        self.name: str = description.name
        self.coordinates: ImportCoordinates = coordinates
        self._description = description
        self._folder = folder
        self._at = Configuration()

    def __repr__(self) -> str:
        return line("Robot", [self.name, f"from {self._description.source}"])

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, from the base outwards."""
        return tuple(j.name for j in self._description.joints)

    @property
    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """Joints that each input acts on: one of an actuator, or those of ``torques`` in files without actuators."""
        found = {m.name: (m.joint,) for m in self._description.motors}
        return found | ({"torques": self._description.torques} if self._description.torques else {})

    @property
    def keyframes(self) -> tuple[str, ...]:
        """Names of the initial states that the file defines."""
        return tuple(self._description.keyframes)

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Lower and upper limits of joints, in rad or m, which the model contains with ``limits=True``."""
        return MappingProxyType(dict(self._description.limits))

    @property
    def skipped(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the parts of the file that the model does not contain, by feature."""
        return MappingProxyType(dict(self._description.skipped))

    @property
    def planar_loops(self) -> tuple[str, ...]:
        """Loops whose dependent equations were removed."""
        return self._description.removed

    @property
    def is_redundant(self) -> bool:
        """True if constraint equations are dependent, so that `compile` selects multipliers of minimal norm."""
        return self._description.is_redundant

    def initial(self, keyframe: str | None = None, /, **values: object) -> None:
        """Set the initial state by the names of joints; other joints keep their values.

        Parameters
        ----------
        keyframe
            An initial state of the file, which replaces all values.
        **values
            Coordinates by joint, in rad or m, and rates as NAME_rate, in rad/s or m/s. A ball joint takes a rotation
            from `rotation` and its rate an angular velocity in axes of the link, (3,); a free joint takes a pair of a
            position and a rotation, and its rate the velocity of the origin in inertial axes followed by the angular
            velocity, (6,).

        Raises
        ------
        UnknownNameError
            If the robot has no such joint or keyframe.
        ModelError
            If a value has the wrong form.
        """
        if keyframe is not None:
            if keyframe not in self._description.keyframes:
                known = ", ".join(self.keyframes) or "none"
                raise UnknownNameError(f"Robot '{self.name}' has no keyframe '{keyframe}'; it has: {known}.")
            self._at = self._description.keyframes[keyframe]
        coordinates, rates = dict(self._at.coordinates), dict(self._at.rates)
        for name, value in values.items():
            joint = name if name in self.joints else name.removesuffix("_rate")
            if joint not in self.joints:
                known = ", ".join(self.joints)
                raise UnknownNameError(f"Robot '{self.name}' has no joint '{joint}' to initialise; it has: {known}.")
            kind = self._description.joint(joint).kind
            if name == joint:
                coordinates[joint] = _coordinate(joint, kind, value)
            else:
                rates[joint] = _rate(joint, kind, value)
        self._at = Configuration(coordinates, rates)
        for built in ("text", "model"):
            self.__dict__.pop(built, None)

    @cached_property
    def text(self) -> str:
        """Text of the model file, with the current initial state."""
        return model_file(self._description, self._at, self.coordinates, self._folder)

    @cached_property
    def model(self) -> Model:
        """The model, which is the result of `text`."""
        return self._built()

    def _built(self) -> Model:
        """Return the result of `text`."""
        place = str(self._folder / f"{self.name}.py")
        names: dict[str, object] = {"__file__": place, "__name__": self.name}
        exec(compile(self.text, place, "exec"), names)
        build = names["build"]
        assert callable(build)
        model = build()
        assert isinstance(model, Model)
        return model

    def save(self, path: str | Path) -> None:
        """Write the model file.

        Parameters
        ----------
        path
            Python file, which must not exist.

        Raises
        ------
        ModelError
            If the file exists already or does not end in ``.py``.
        """
        path = Path(path)
        if path.suffix != ".py":
            raise ModelError(f"{path} must end in .py.")
        text = model_file(self._description, self._at, self.coordinates, path.resolve().parent)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise ModelError(f"{path} exists already; choose another name.") from None

    def derive(self) -> Equations:
        """Return the equations of motion of `model`."""
        return self.model.derive()

    def compile(self, backend: Backend = "auto") -> System:
        """Return the compiled system, with closed loops, and with multipliers of minimal norm if they are redundant.

        Changes of `model` apply. If it has not been used, the cache finds the code by `text`, without a model.

        Parameters
        ----------
        backend
            ``"c"``, ``"numpy"``, or ``"auto"`` for C if there is a compiler.
        """
        if "model" in self.__dict__:  # the user may have changed it
            system = self.derive().compile(backend=backend)
        else:
            meshes = [s.file for s in self._description.shapes if s.file is not None]
            system = system_of_text(self.text, self._built, meshes, backend)
        if self.is_redundant:
            system = system.with_redundant("minimal_norm")
        return system.assembled() if is_apart(self._description, self._at) else system


def from_urdf(
    path: str | Path,
    *,
    coordinates: ImportCoordinates | None = None,
    ignore: Iterable[str] = (),
    strict: bool = False,
    limits: bool = False,
    contacts: bool = False,
    dry_friction: bool = False,
    floating: bool = False,
) -> Robot:
    """Return the robot of a URDF file.

    Each hinge, slider, planar and floating joint becomes a joint of the model; links with fixed joints become parts of
    others, and frames. ``mimic`` and ``constraint`` elements become exact constraints. The components of the input
    ``torques`` are torques and forces in the joints, in the order of `Robot.inputs`. Outputs are NAME and NAME_rate of
    joints, and NAME_position and NAME_rotation of frames.

    Parameters
    ----------
    path
        The file.
    coordinates
        ``"minimal"`` for joint coordinates, the default, or ``"bodies"`` for the poses of all links, the default for
        robots with contacts, and for robots with loops, stops or dry friction above the limit of dense trees.
    ignore
        Names of features to skip without a warning.
    strict
        If true, only features in ``ignore`` are skipped; by default also contacts, limits, ranges, sensors, shapes and
        elements for other programs that have no counterpart, with a warning.
    limits
        If true, limits of hinges and sliders become stops with impacts, see `JointStops`; the parameter
        ``stop_restitution`` of the model is their coefficient of restitution, zero by default.
    contacts
        If true, contacts of planes with spheres, capsules, boxes and cylinders, and of two spheres, become contacts
        with the friction of the file; the parameter ``restitution`` of the model is their coefficient of restitution,
        zero by default. Other pairs are refused, or skipped with ``ignore=("pairs",)``.
    dry_friction
        If true, friction of joints sticks exactly, see `Model.friction`; by default it is regularised. Stops, contacts
        and dry friction restrict the methods.
    floating
        If true, the first link is not fixed to the ground.

    Returns
    -------
    Robot
        The robot.

    Raises
    ------
    FormatError
        If the file is missing, malformed, declares entities, or lacks a mesh, mass or a name.
    UnsupportedFeatureError
        If the file has other features without counterpart.
    MissingDependencyError
        If MuJoCo is not installed, or its version is not supported.
    """
    path = Path(path)
    skipped = Skipped(ignore, strict=strict, requested=Requested(contacts, limits, dry_friction))
    root = read_xml(path)
    check_joints(path, root)
    stripped = without_shapes(path, root, skipped)
    drawn = [] if skipped.ignores("shapes") else shapes(path, root)
    closing = constraints(path, root)
    compiled = compiled_text(path, stripped, floats=floating)
    name = model_name(root.get("name") or path.stem)
    inertial = inertials(path, root)
    found = describe(
        compiled, name, path.name, skipped,
        inertials=inertial, shapes=drawn, constraints=closing, mimics=mimics(path, root, skipped),
    )  # fmt: skip
    return _robot(found, path, coordinates, skipped)


def from_mjcf(
    path: str | Path,
    *,
    coordinates: ImportCoordinates | None = None,
    ignore: Iterable[str] = (),
    strict: bool = False,
    limits: bool = False,
    contacts: bool = False,
    dry_friction: bool = False,
) -> Robot:
    """Return the robot of an MJCF file, the format of MuJoCo.

    Bodies without joints become parts of others, and frames; ``connect``, ``weld`` and ``joint`` equalities become
    exact constraints. Each actuator is an input, to which its gear and gains apply. Outputs are NAME and NAME_rate of
    joints, NAME_position and NAME_rotation of frames and sites, and sensors. Without actuators, the input is
    ``torques`` as in `from_urdf`.

    Parameters
    ----------
    path
        The file.
    coordinates, ignore, strict, limits, contacts, dry_friction
        As in `from_urdf`.

    Returns
    -------
    Robot
        The robot.

    Raises
    ------
    FormatError
        If the file is missing, malformed, declares entities, includes files in a cycle or outside of its folder, or
        lacks a mesh, mass or a name.
    UnsupportedFeatureError
        If the file has features without counterpart, such as tendons.
    MissingDependencyError
        If MuJoCo is not installed, or its version is not supported.
    """
    path = Path(path)
    skipped = Skipped(ignore, strict=strict, requested=Requested(contacts, limits, dry_friction))
    roots = included_files(path)
    check_assets(path, roots)
    name = roots[0].get("model") or path.stem
    found = describe(compiled_file(path), model_name(name), path.name, skipped)
    return _robot(found, path, coordinates, skipped)


def _robot(found: Description, path: Path, coordinates: ImportCoordinates | None, skipped: Skipped) -> Robot:
    if coordinates is not None and coordinates not in get_args(ImportCoordinates):
        raise ModelError(f"The coordinates of a robot are 'minimal' or 'bodies', not {coordinates!r}.")
    if not found.joints:
        raise ModelError(f"{path} has no joints, so nothing moves.")
    check_masses(found, path)
    found = replace(reduced(found), skipped=skipped.checked(path.name))
    is_large = found.velocities > MOST_VELOCITIES and (found.has_loops or found.has_events)
    if is_large and coordinates == "minimal":
        what = "loops" if found.has_loops else "contacts, stops or dry friction"
        raise ModelError(
            f"{path.name} has {what} and {found.velocities} velocities of joints; minimal coordinates with {what} have "
            f"at most {MOST_VELOCITIES}: use coordinates='bodies'."
        )
    notice = skipped.warning(path.name)
    if notice:
        warn(notice)
    if found.is_redundant:
        warn(f"Constraint equations of {path.name} are dependent; multipliers of minimal norm are computed.")
    default: ImportCoordinates = "bodies" if is_large or found.contacts else "minimal"
    return Robot(found, coordinates or default, path.resolve().parent)


def _coordinate(joint: str, kind: str, value: object) -> float | Array | Pose:
    if kind == FREE:
        if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[1], Rotation):
            return Pose(_turn(value[1]), _numbers(joint, value[0], (3,)))
        raise ModelError(f"The free joint '{joint}' needs a pair of a position and a rotation, not {value!r}.")
    if kind == BALL:
        if isinstance(value, Rotation):
            return _turn(value)
        raise ModelError(f"The ball joint '{joint}' needs a rotation from sl.rotation, not {value!r}.")
    return float(_numbers(joint, value, ()))


def _rate(joint: str, kind: str, value: object) -> float | Array:
    found = _numbers(f"{joint}_rate", value, {FREE: (6,), BALL: (3,)}.get(kind, ()))
    return found if found.shape else float(found)


def _turn(value: Rotation) -> Array:
    return np.array([float(c) for c in value.matrix]).reshape(3, 3)


def _numbers(name: str, value: object, shape: tuple[int, ...]) -> Array:
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.full((0, 0, 0), np.nan)
    if found.shape != shape or not np.isfinite(found).all():
        needed = f"{shape[0]} finite numbers" if shape else "a finite number"
        raise ModelError(f"The initial value of '{name}' must be {needed}, not {value!r}.")
    return found
