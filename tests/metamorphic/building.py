"""A mechanism as a model, in any writing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import symlie as sl
from tests.metamorphic import writing as w
from tests.metamorphic.mechanism import Body, Curve, Joint, Mechanism, Rod, String, Wave, rotation_matrix
from tests.metamorphic.writing import Writing

ENERGY = "energy"


class Builder:
    """States a mechanism in a model, and remembers the dimensions of its outputs."""

    def __init__(self, mechanism: Mechanism, writing: Writing, **coordinates: str) -> None:
        self.mechanism, self.writing, self.coordinates = mechanism, writing, coordinates
        self.model = sl.Model("drawn")
        self.bodies: dict[str, Any] = {}
        self.joints: dict[str, Any] = {}
        self.readers: dict[str, Callable[[Any], w.Array]] = {}
        """Conversion of an output of the model."""
        self.multipliers: dict[str, Callable[[Any], w.Array]] = {}
        """Conversion of multipliers of a constraint."""
        self.curves: list[str] = []
        """Names of rods and continua."""
        self.time = self.model.t / writing.scale(w.TIME) - writing.begin

    def build(self) -> sl.Model:
        """The model."""
        drawn, order = self.mechanism, self.writing.ordered
        for body in order(drawn.bodies):
            self._body(body)
        for rod in drawn.rods:
            self._rod(rod)
        for string in drawn.strings:
            self._string(string)
        for joint in order(drawn.joints):
            self._joint(joint)
        statements: list[Callable[[], None]] = [
            *(lambda s=s: self._spring(s) for s in drawn.springs),
            *(lambda s=s: self._torsion(s) for s in drawn.torsion),
            *(lambda s=s: self._attraction(s) for s in drawn.attractions),
            *(lambda s=s: self._floor(s) for s in drawn.floors),
            *(lambda s=s: self._table(s) for s in drawn.tables),
            *(lambda s=s: self._filter(s) for s in drawn.filters),
            *(lambda s=s: self._blade(s) for s in drawn.blades),
            *(lambda s=s: self._pivot(s) for s in drawn.pivots),
            *(lambda s=s: self._curved_force(s) for s in drawn.curved_forces),
            *(lambda s=s: self._rolling(s) for s in drawn.rollings),
            *(lambda s=s: self._governor(s) for s in drawn.governors),
            *(lambda s=s: self._knot(s) for s in drawn.knots),
            *(lambda s=s: self._crossing(s) for s in drawn.crossings),
            lambda: self.model.gravity(self.writing.vector(drawn.gravity, w.ACCELERATION)),
        ]
        for state in order(statements):
            state()
        for joint in order(drawn.joints):
            if joint.rate is not None:
                rate, value = joint.rate
                of = w.VELOCITY if rate == "speed" else w.RATE
                self.model.initial(self.joints[joint.name], **{rate: self.writing.number(value, of)})
        self._mistake()
        for body in drawn.bodies:
            self._observe(body)
        return self.model

    def _name(self, name: str) -> str:
        return self.writing.name(name)

    def _at(self, name: str) -> Any:
        return self.bodies[name] if name else self.model.ground

    def _rotation(self, axis: w.Array | tuple[float, ...], angle: float) -> w.Array:
        return self.writing.rotation @ rotation_matrix(axis, angle)

    def _wave(self, wave: Wave) -> Any:
        return wave.amplitude * sl.sin(wave.frequency * self.time + wave.phase)

    def _body(self, body: Body) -> None:
        given: dict[str, Any] = {}
        if body.velocity is not None:
            given["velocity"] = self.writing.vector(body.velocity, w.VELOCITY)
        if body.angular_velocity is not None:
            given["angular_velocity"] = self.writing.number(body.angular_velocity, w.RATE)
        self.bodies[body.name] = sl.RigidBody(
            self.model, self._name(body.name), self.writing.number(body.mass, w.MASS),
            self.writing.number(body.inertia, w.INERTIA), position=self.writing.point(body.position),
            orientation=sl.rotation(matrix=self._rotation(body.axis, body.angle)), **given, **self.coordinates,
        )  # fmt: skip

    def _rod(self, rod: Rod) -> None:
        turned = self._rotation(rod.axis, rod.angle)
        start, tangent = self.writing.point(rod.position), turned[:, 2]
        number = self.writing.number
        bending = [number(rod.bending * f, (1, 3, -2)) for f in (1, 1.5, 0.8)]
        stretching = [number(rod.stretching * f, w.FORCE) for f in (0.8, 0.8, 1)]
        inertia = [number(rod.rotary * f, (1, 1, 0)) for f in (1, 1, 2)] + [number(rod.density, (1, -1, 0))] * 3
        made = sl.CosseratRod(
            self.model, self._name(rod.name), segments=rod.segments, length=number(rod.length, w.LENGTH),
            position=lambda s: start + s * tangent, orientation=sl.rotation(matrix=turned),
            stiffness=bending + stretching, inertia=inertia,
        )  # fmt: skip
        made.clamp("start")
        if rod.corner is not None:
            turned = self.writing.rotation @ rotation_matrix(*rod.corner) @ rotation_matrix(rod.axis, rod.angle)
            corner, along = start + number(rod.length, w.LENGTH) * tangent, turned[:, 2]
            made = sl.CosseratRod(
                self.model, self._name(rod.second), segments=rod.segments, length=number(rod.length, w.LENGTH),
                like=made, first=made[-1], position=lambda s: corner + s * along,
                orientation=sl.rotation(matrix=turned),
            )  # fmt: skip
            self.curves.append(rod.second)
        made.end_load("end", force=self.writing.vector(rod.force, w.FORCE))
        self.curves.append(rod.name)

    def _string(self, string: String) -> None:
        number = self.writing.number
        start, tangent = self.writing.point(string.position), self.writing.vector(string.tangent, w.NUMBER)
        made = sl.Continuum(self.model, self._name(string.name), "R3", length=number(string.length, w.LENGTH))
        k, d = number(string.stiffness, w.FORCE), number(string.damping, (1, 1, -1))
        made.kinetic_density(number(string.density, (1, -1, 0)) * made.v.dot(made.v) / 2)
        made.potential_density(k * (made.w.norm() - 0.9) ** 2 / 2)
        made.dissipation_density(d * made.w_dot.dot(made.w_dot))
        made.clamp("start")
        made.initial(x=lambda s: start + s * tangent)
        made.end_load("end", force=self.writing.vector(string.force, w.FORCE))
        self.curves.append(string.name)
        made.discretize(string.elements)

    def _joint(self, joint: Joint) -> None:
        axes = [self.writing.vector(axis, w.NUMBER) for axis in joint.axes]
        given: dict[str, Any] = {}
        if axes:
            given["axis"] = axes if len(axes) > 1 else axes[0]
        if joint.lead is not None:
            given["lead"] = self.writing.number(joint.lead, w.LENGTH)
        made = getattr(sl, joint.kind)(
            self.model,
            self._name(joint.name),
            self._at(joint.a),
            self._at(joint.b),
            at=self.writing.point(joint.at),
            **given,
        )
        self.joints[joint.name] = made
        if joint.drive is not None:
            slides = joint.kind == "PrismaticJoint"
            if isinstance(joint.drive, Curve):
                motion = self._of_time(f"{joint.name}_drive", joint.drive, w.LENGTH if slides else w.NUMBER)
            else:
                motion = self._wave(joint.drive) * (self.writing.scale(w.LENGTH) if slides else 1)
            made.drive(motion)
            self._read(f"{joint.name}_effort", w.FORCE if slides else w.MOMENT)
        for name in getattr(made, "coordinate_names", ()):
            self._read(f"{joint.name}_{name}", w.LENGTH if "displacement" in name else w.NUMBER)
        self.readers[f"{joint.name}_force"] = lambda value: self.writing.read_vector(value, w.FORCE)
        self.readers[f"{joint.name}_moment"] = lambda value: self.writing.read_vector(value, w.MOMENT)

    def _read(self, name: str, dimension: w.Dimension) -> None:
        self.readers[name] = lambda value: self.writing.read_number(value, dimension)

    def _read_multiplier(self, name: str, of: w.Dimension) -> None:
        """The multiplier of a scalar constraint whose residual, or its rate, has a dimension."""
        power = (w.POWER[0] - of[0], w.POWER[1] - of[1], w.POWER[2] - of[2])
        self.multipliers[name] = lambda value: self.writing.read_number(value, power)

    def _spring(self, spring: Any) -> None:
        at = [self.writing.point(p) for p in spring.at]
        a, b, number = self._at(spring.a), self._at(spring.b), self.writing.number
        name = self._name(spring.name)
        sl.Spring(self.model, name, a, b, at=at, stiffness=number(spring.stiffness, w.STIFFNESS),
                  length=number(spring.length, w.LENGTH))  # fmt: skip
        sl.Damper(self.model, f"{name}_damper", a, b, at=at, damping=number(spring.damping, w.DAMPING))
        self._read(f"{spring.name}_force", w.FORCE)

    def _torsion(self, spring: Any) -> None:
        number, name, joint = self.writing.number, self._name(spring.name), self.joints[spring.joint]
        sl.TorsionSpring(self.model, name, joint, stiffness=number(spring.stiffness, w.MOMENT), rest=spring.rest,
                         damping=number(spring.damping, w.ANGULAR_DAMPING))  # fmt: skip
        if spring.coulomb:
            sl.JointFriction(self.model, f"{name}_friction", joint, coulomb=number(spring.coulomb, w.MOMENT),
                             creep=number(spring.creep, w.RATE))  # fmt: skip

    def _attraction(self, attraction: Any) -> None:
        a, b = self.bodies[attraction.a].node, self.bodies[attraction.b].node
        k = self.writing.number(attraction.stiffness, w.STIFFNESS)
        if not self.writing.elements:
            chord = b.x - a.x
            self.model.potential_energy(k * chord.dot(chord) / 2)
            return
        pair = sl.ElementType(self._name(attraction.name), a=a.group, b=b.group)
        stiffness = pair.parameter("k", 1.0)
        chord = pair.b.x - pair.a.x
        pair.potential_energy(stiffness * chord.dot(chord) / 2)
        self.model.add(pair, [(a, b)], k=k)

    def _floor(self, floor: Any) -> None:
        body = self.bodies[floor.body]
        normal, k = self.writing.vector(floor.normal, w.NUMBER), self.writing.number(floor.stiffness, w.STIFFNESS)
        foot = self.writing.point(np.asarray(floor.normal) * floor.level)
        height = self._along(body, normal, foot)
        self.model.potential_energy(sl.select(-height, k * height**2 / 2, 0))

    def _along(self, body: Any, direction: w.Array, origin: w.Array) -> Any:
        """The distance of a body from a point along a direction."""
        return sum(float(n) * (x - float(o)) for n, x, o in zip(direction, body.x, origin, strict=True))

    def _table(self, table: Any) -> None:
        u = self.model.input(self._name(table.name))
        direction = sl.vector(*map(float, self.writing.vector(table.direction, w.NUMBER)))
        self.model.force(u * direction, at=self.bodies[table.body].x)

    def _of_time(self, name: str, curve: Curve, of: w.Dimension) -> Any:
        """A smooth table of time."""
        points, values = self.writing.time(curve.points), self.writing.number(curve.values, of)
        return self.model.smooth_table(self._name(name), points, values, order=curve.order)

    def _curved_force(self, force: Any) -> None:
        body, curve = self.bodies[force.body], force.curve
        if force.along is None:
            size = self._of_time(force.name, curve, w.FORCE)
        else:
            along, origin = self.writing.vector(force.along, w.NUMBER), self.writing.point(force.origin)
            size = self.model.smooth_table(
                self._name(force.name), self.writing.number(curve.points, w.LENGTH),
                self.writing.number(curve.values, w.FORCE), order=curve.order, of=self._along(body, along, origin),
            )  # fmt: skip
        direction = sl.vector(*map(float, self.writing.vector(force.direction, w.NUMBER)))
        self.model.force(size * direction, at=body.x)

    def _rolling(self, rolling: Any) -> None:
        sl.RollingContact(
            self.model, self._name(rolling.name), self.model.ground, self.bodies[rolling.body],
            radius=self.writing.number(rolling.radius, w.LENGTH),
            normal=self.writing.vector(rolling.normal, w.NUMBER),
        )  # fmt: skip

    def with_inputs(self, system: sl.System) -> sl.System:
        """The system with its tables."""
        for table in self.mechanism.tables:
            times, values = self.writing.time(table.times), self.writing.number(table.values, w.FORCE)
            system = system.with_input(self._name(table.name), times, values, table.interpolation)
        return system

    def _filter(self, given: Any) -> None:
        body, name = self.bodies[given.body], self._name(given.name)
        direction, origin = self.writing.vector(given.direction, w.NUMBER), self.writing.point(given.origin)
        memory = self.model.state(name, 1)
        delay = float(self.writing.number(given.delay, w.TIME))
        self.model.vector_field(memory, x=[(self._along(body, direction, origin) - memory.x[0]) / delay])
        self.model.initial(memory, x=[self.writing.number(given.start, w.LENGTH)])
        k = float(self.writing.number(given.stiffness, w.STIFFNESS))
        self.model.force(-k * memory.x[0] * sl.vector(*map(float, direction)), at=body.x)
        self.model.output(f"{name}_state", memory.x[0])
        self._read(f"{given.name}_state", w.LENGTH)

    def _blade(self, blade: Any) -> None:
        body = self.bodies[blade.body]
        axis = body.axis(list(blade.axis))
        self.model.nonholonomic_constraint(self._name(blade.name), [axis.dot(body.velocity_of([0, 0, 0]))])
        self._read_multiplier(blade.name, w.VELOCITY)

    def _pivot(self, pivot: Any) -> None:
        body = self.bodies[pivot.body]
        arm = self.writing.number(pivot.arm, w.LENGTH)
        own = next(b for b in self.mechanism.bodies if b.name == pivot.body)
        start = np.asarray(pivot.at) + rotation_matrix(own.axis, own.angle) @ pivot.arm
        foot, direction = self.writing.point(start), self.writing.vector(pivot.direction, w.LENGTH)
        wave = self._wave(pivot.wave) - pivot.wave.amplitude * np.sin(pivot.wave.phase)
        point = body.point([float(c) for c in arm])
        self.model.constraint(
            self._name(pivot.name),
            [p - float(f) - float(d) * wave for p, f, d in zip(point, foot, direction, strict=True)],
        )
        self.multipliers[pivot.name] = lambda value: self.writing.read_vector(value, w.FORCE)

    def _governor(self, governor: Any) -> None:
        body = self.bodies[governor.body]
        velocity, name = body.velocity_of([0, 0, 0]), self._name(governor.name)
        if governor.speed is None:
            self.model.nonholonomic_constraint(name, [velocity.dot(body.R * body.Omega)])
            self._read_multiplier(governor.name, w.ACCELERATION)
        else:
            square = float(self.writing.number(governor.speed, w.VELOCITY)) ** 2
            self.model.nonholonomic_constraint(name, [velocity.dot(velocity) - square])
            self._read_multiplier(governor.name, (0, 2, -2))

    def _knot(self, knot: Any) -> None:
        number, body = self.writing.number, self.bodies[knot.body]
        point = self.model.node(self._name(knot.name), "R3")
        self.model.initial(point, x=self.writing.point(knot.position))
        anchors = [sl.vector(*map(float, self.writing.point(anchor))) for anchor in knot.anchors]
        for anchor, stiffness in zip((*anchors, body.x), knot.stiffness, strict=True):
            stretch = (point.x - anchor).norm() - float(number(knot.length, w.LENGTH))
            self.model.potential_energy(float(number(stiffness, w.STIFFNESS)) * stretch**2 / 2)
        if knot.damping:
            self.model.dissipation(float(number(knot.damping, w.DAMPING)) * point.x_dot.dot(point.x_dot) / 2)
        self.model.output(self._name(f"{knot.name}_place"), point.x)
        self.readers[f"{knot.name}_place"] = self.writing.read_point

    def _crossing(self, crossing: Any) -> None:
        direction, origin = self.writing.vector(crossing.direction, w.NUMBER), self.writing.point(crossing.origin)
        event = self._along(self.bodies[crossing.body], direction, origin)
        self.model.event(self._name(crossing.name), event, terminal=False)

    def _mistake(self) -> None:
        drawn = self.mechanism
        match drawn.mistake:
            case "contradiction":
                self.model.initial(
                    self.bodies[drawn.bodies[0].name].node, Omega=self.writing.number([3.0, -2.0, 1.0], w.RATE)
                )
            case "name" if drawn.joints:
                joint = drawn.joints[0]
                self.model.output(self._name(f"{joint.name}_force"), self.bodies[joint.b].x)
            case "redundant" if drawn.joints:
                joint = drawn.joints[0]
                at, kind = self.writing.point(joint.at), sl.SphericalJoint
                for name in ("one", "other"):
                    kind(self.model, self._name(name), self._at(joint.a), self._at(joint.b), at=at)

    def _observe(self, body: Body) -> None:
        made, name = self.bodies[body.name], self._name(body.name)
        self.model.output(f"{name}_place", made.x)
        self.model.output(f"{name}_axes", [made.R[i, j] for j in range(3) for i in range(3)])
        self.model.output(f"{name}_spin", made.R * made.Omega)
        self.model.output(f"{name}_velocity", made.velocity_of([0, 0, 0]))
        read = self.writing
        self.readers[f"{body.name}_place"] = read.read_point
        self.readers[f"{body.name}_axes"] = lambda v: np.reshape(
            read.read_vector(np.reshape(v, (-1, 3, 3)), w.NUMBER), (-1, 9)
        )
        self.readers[f"{body.name}_spin"] = lambda v: read.read_vector(v, w.RATE)
        self.readers[f"{body.name}_velocity"] = lambda v: read.read_vector(v, w.VELOCITY)
