"""Families of random models: nodes, arrays, manifolds, acceleration-level constraints, dependent nodes."""

from __future__ import annotations

import math

from tests.trajectories.drawn import Drawn, Nodes, Part, Table, Term, Turning, space_of
from tests.trajectories.groups import Group
from tests.trajectories.vocabulary import Words, point, variables

LIE_GROUPS = ("R1", "R2", "R3", "SO2", "SE2", "SO3", "S3", "SE3", "S3sR3", "SO3rv")
PRODUCTS = ("SO3xR3", "S3xR3", "SO2xR1", "SO3rvxR3", "SE2xSO2", "R2xS3", "SO2xSO2", "S3xS3")
CLASS_B = ("SL2", "SE23", "Sim2", "Heisenberg", "SO4")
MANIFOLDS = (
    "S2", "TS2", "ball", "plane", "S2xS2", "left_dual:SO3", "right_dual:SO3", "left_dual:SE3", "right_dual:SE2",
    "left_dual:SE2", "cotangent:SO3", "cotangent:SE2", "cotangent:S3", "left_translation:SO3",
    "right_translation:S3", "left_translation:SE3", "right_translation:SE2",
)  # fmt: skip
PRESCRIBED = ("R2", "R3", "SO2", "SE2", "SO3", "S3", "SE3", "S3sR3")
AXES = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, 0.8))
WITH_LOG = {"SO2", "SE2", "SO3", "S3", "SE3", "S3sR3", "SO3rv", "Heisenberg", "SE23"}


def one(words: Words, seed: str) -> Drawn:
    """A model that may not be well posed."""
    drawn = Drawn(seed, words.source.randint(3, 7) / 16, [], [])
    share = words.source.random()
    if share < 0.5:
        _of_nodes(words, drawn)
    elif share < 0.7:
        _of_arrays(words, drawn)
    elif share < 0.85:
        _on_manifolds(words, drawn)
    elif share < 0.93:
        _of_accelerations(words, drawn)
    else:
        _of_rods(words, drawn)
    return drawn


def _node(words: Words, drawn: Drawn, name: str, space: str, *, moderate: bool = False) -> Nodes:
    q, v, kind = start(words, space, moderate=moderate)
    nodes = Nodes(name, space, [q], [v])
    drawn.nodes.append(nodes)
    of = "class B" if space in CLASS_B else "product" if space in PRODUCTS else "space"
    drawn.categories |= {f"{of} {space}", f"start {kind}"}
    return nodes


def _prescribed(words: Words, space: str) -> Turning:
    n = 0 if space in ("SO2", "SO3", "S3") else int(space[1]) if space[0] == "R" else 2 if space == "SE2" else 3
    n12 = [words.source.randint(-4, 4) / 8 for _ in range(2 * n)]
    return Turning(
        words.one(AXES), words.source.randint(1, 6) / 8, words.source.randint(2, 6) / 2,
        words.source.randint(-4, 4) / 4, words.source.randint(-8, 8) / 8, tuple(n12[:n]), tuple(n12[n:]),
    )  # fmt: skip


class Writer:
    """Writes random terms into a part."""

    def __init__(self, words: Words, drawn: Drawn, part: Part) -> None:
        self.words, self.drawn, self.part = words, drawn, part
        self.variables = [c for local, space in part.locals.items() for c in variables(local, space)]
        self.velocities = [
            f"{local}.v[{k}]" for local, space in part.locals.items() for k in range(space_of(space).dimension)
        ]

    def maybe(self, probability: float, category: str) -> bool:
        if self.words.chance(probability):
            self.drawn.categories.add(category)
            return True
        return False

    def add(self, kind: str, text: str, name: str = "", other: str = "") -> None:
        self.part.terms.append(Term(kind, text, name, other))

    def kinetic(self, *, factor: str = "") -> None:
        words = self.words
        for local, space in self.part.locals.items():
            n = space_of(space).dimension
            if n:
                self.add("kinetic", f"{factor}{words.quadratic(f'{local}.v', n)}")
        if self.maybe(0.25, "varying mass"):
            a, first, b = words.number(), words.one(self.velocities), words.number()
            # Where a node is prescribed, kinetic energies may not couple nodes.
            of, driven = first.split(".")[0], any(n.motions for n in self.drawn.nodes)
            second = words.one([v for v in self.velocities if not driven or v.split(".")[0] == of])
            self.add(
                "kinetic", f"(2 + sin({words.polynomial(self.variables)})) * ({a} * {first} + {b} * {second})**2 / 4"
            )
        if self.maybe(0.15, "mass of time"):
            self.add("kinetic", f"(2 + sin(2 * t)) * {words.one(self.velocities)}**2 / 4")
        if self.maybe(0.2, "gyrostat"):
            self.add("kinetic", f"{words.smooth(self.variables)} * {words.one(self.velocities)} / 2")
        if self.maybe(0.1, "kinetic energy at rest"):
            self.add("kinetic", f"{words.smooth(self.variables)} * cos(t)")

    def potential(self) -> None:
        words = self.words
        if self.maybe(0.7, "potential"):
            self.add("potential", words.smooth(self.variables))
        if self.maybe(0.2, "law in pieces"):
            self.add("potential", words.piecewise(self.variables))
        if self.maybe(0.15, "potential of time"):
            self.add("potential", f"cos(3 * t) * {words.smooth(self.variables)}")
        for table in self.drawn.tables:
            self.add("potential", f"{table.name} * {words.polynomial(self.variables)}")

    def logarithms(self, *, near: bool) -> None:
        """Strains by logarithms, for groups with rotation angles away from π."""
        locals_ = list(self.part.locals.items())
        if near and len(locals_) > 1 and locals_[0][1] == locals_[1][1] and locals_[0][1] in WITH_LOG:
            self.drawn.categories.add("log of relative pose")
            name = f"relative({locals_[0][0]}, {locals_[1][0]})"
            k = self.words.source.randrange(space_of(locals_[0][1]).dimension)
            self.add("potential", f"({name}[{k}] - 0.25)**2 + {name}[0]**2 / 2")

    def forces(self) -> None:
        words = self.words
        if self.maybe(0.25, "dissipation"):
            self.add("dissipation", f"(1 + {words.one(self.variables)}**2) * {words.one(self.velocities)}**2 / 4")
        if self.maybe(0.1, "friction"):
            self.add("dissipation", f"sqrt({words.polynomial(self.velocities)}**2 + 0.25)")
        pool = [*self.variables, *self.velocities, "sin(t)"]
        for local, space in self.part.locals.items():
            n = space_of(space).dimension
            if n and self.maybe(0.25, "generalized force"):
                parts = [words.smooth(pool) if words.chance(0.4) else "0" for _ in range(n)]
                self.add("generalized", f"vec({', '.join([words.smooth(pool), *parts[1:]])})", local)
            at = point(words, local, space)
            if at and self.maybe(0.3, "force at a point"):
                vector = f"vec({', '.join(words.polynomial(pool) for _ in range(at[1]))})"
                turned = space not in ("R2", "R3") and words.chance(0.5)
                self.add("force", f"turn({local}.R, {vector})" if turned else vector, other=at[0])
            if space in ("SO2", "SE2", "SO3", "S3", "SE3", "S3sR3", "SO3rv") and self.maybe(0.2, "torque"):
                size = 1 if space in ("SO2", "SE2") else 3
                self.add("torque", f"vec({', '.join(words.polynomial(pool) for _ in range(size))})", local)

    def rows(self, free: int, *, instances: int = 0) -> None:
        """Up to ``free`` constraint equations; offsets make the holonomic ones hold initially."""
        words, prefix = self.words, self.part.name or "own"
        if free > 0 and self.maybe(0.4, "holonomic"):
            size = min(words.source.randint(1, 2), free)
            names, stated = [f"offset_{prefix}{k}" for k in range(size)], []
            for name in names:
                text = f"{words.smooth(self.variables)} + {words.polynomial(self.variables)} / 2"
                if self.maybe(0.4, "rheonomic"):
                    text += f" + sin({words.number()} * t) / 4"
                stated.append(f"{text} - {name}")
                if instances:
                    self.part.parameters[name] = [0.0] * instances
                else:
                    self.drawn.parameters[name] = 0.0
            self.add("constraint", f"vec({', '.join(stated)})", f"{prefix}_holonomic", " ".join(names))
            free -= size
        if free > 0 and self.maybe(0.3, "nonholonomic"):
            terms = [f"{words.number()} * {v}" for v in self.velocities if words.chance(0.7)] or [self.velocities[0]]
            row = f"({' + '.join(terms)}) * (2 + sin({words.polynomial(self.variables)}))"
            row += f" + {words.polynomial(self.variables)} * {words.one(self.velocities)} / 4"
            if self.maybe(0.5, "driven nonholonomic"):
                row += f" + {words.smooth([*self.variables, 'sin(t)'])} / 4"
            self.add("nonholonomic", row, f"{prefix}_rolling")

    def outputs(self) -> None:
        pool = [*self.variables, *self.velocities, "t"]
        if self.maybe(0.4, "output"):
            self.add("output", f"vec({self.words.smooth(pool)}, {self.words.smooth(pool)})", "seen")


def _tables(words: Words, drawn: Drawn) -> None:
    if words.chance(0.2):
        kind = words.one(["linear", "hold", "stated"])
        drawn.categories.add(f"input {kind}")
        values = tuple(words.source.randint(-8, 8) / 8 for _ in range(3))
        drawn.tables.append(Table("load", (0.0, 0.09375, 0.25), values, kind))


def _of_nodes(words: Words, drawn: Drawn) -> None:
    """A model defined by its nodes."""
    drawn.categories.add("nodes")
    pick = words.source.random()
    names = [words.one(CLASS_B if pick < 0.2 else PRODUCTS if pick < 0.4 else LIE_GROUPS)]
    if space_of(names[0]).dimension <= 3 and words.chance(0.4):
        names.append(names[0] if words.chance(0.4) else words.one(LIE_GROUPS[:7]))
    for k, name in enumerate(names):
        _node(words, drawn, f"q{k}", name)
    prescribed = words.chance(0.2)
    if prescribed:
        name = words.one(PRESCRIBED)
        nodes = _node(words, drawn, "driver", name)
        nodes.motions[0] = _prescribed(words, name)
        drawn.categories |= {"prescribed", f"prescribed {name}"}
    part = Part("", {n.name: n.space for n in drawn.nodes}, [tuple((n.name, 0) for n in drawn.nodes)])
    drawn.parts.append(part)
    _tables(words, drawn)
    writer = Writer(words, drawn, part)
    writer.kinetic()
    writer.potential()
    writer.forces()
    moving = Writer(words, drawn, part)
    writer.rows(sum(space_of(n).dimension for n in names) - 1)
    moving.outputs()


def _of_arrays(words: Words, drawn: Drawn) -> None:
    """Equal bodies in an array, an element type on each and one between neighbours."""
    name, count = words.one((*LIE_GROUPS, "Heisenberg", "SL2")), words.source.randint(2, 3)
    drawn.categories |= {"element types", f"array {name}"}
    begun = [start(words, name, moderate=True) for _ in range(count)]
    nodes = Nodes("bodies", name, [b[0] for b in begun], [b[1] for b in begun], is_array=True)
    drawn.nodes.append(nodes)
    if words.chance(0.25):
        nodes.fixed = {0}
        nodes.v[0] = [0.0] * len(nodes.v[0])
        drawn.categories.add("fixed")
    elif name in PRESCRIBED and words.chance(0.3):
        nodes.motions[0] = _prescribed(words, name)
        drawn.categories |= {"prescribed", f"prescribed {name}"}
    _tables(words, drawn)
    body = Part("body", {"node": name}, [(("bodies", k),) for k in range(count)])
    body.parameters["mass"] = [words.source.randint(4, 16) / 8 for _ in range(count)]
    drawn.parts.append(body)
    writer = Writer(words, drawn, body)
    writer.kinetic(factor="mass * ")
    writer.potential()
    writer.forces()
    link = Part("link", {"left": name, "right": name}, [(("bodies", k), ("bodies", k + 1)) for k in range(count - 1)])
    link.parameters["stiffness"] = [words.source.randint(4, 16) / 8 for _ in range(count - 1)]
    drawn.parts.append(link)
    joint = Writer(words, drawn, link)
    joint.add("potential", f"stiffness * {words.smooth(joint.variables)}")
    joint.logarithms(near=words.chance(0.7))
    joint.rows(min(2, space_of(name).dimension - 1), instances=count - 1)


def _on_manifolds(words: Words, drawn: Drawn) -> None:
    """A node on a manifold with a field, a vector field or a Hamiltonian, and occasionally a body."""
    name = words.one(MANIFOLDS)
    drawn.categories.add("manifolds")
    _node(words, drawn, "y", name)
    if words.chance(0.4):
        _node(words, drawn, "q", words.one(LIE_GROUPS[:8]))
        drawn.categories.add("manifold and body")
    part = Part("", {n.name: n.space for n in drawn.nodes}, [tuple((n.name, 0) for n in drawn.nodes)])
    drawn.parts.append(part)
    writer = Writer(words, drawn, part)
    own = variables("y", name)
    pool = [*writer.variables, *writer.velocities, "sin(t)"]
    kind, _, _ = name.partition(":")
    of = space_of(name)
    algebra = of.dimension if isinstance(of, Group) else of.algebra
    if kind in ("left_dual", "right_dual", "cotangent") and words.chance(0.7):
        drawn.categories.add("hamiltonian")
        squares = " + ".join(f"{words.source.randint(2, 12) / 8!r} * y.mu[{k}]**2" for k in range(3))
        writer.add("hamiltonian", f"{squares} + {words.smooth(own)}")
    elif name in ("S2", "TS2") and words.chance(0.6):
        drawn.categories.add("vector field")
        free = f"vec({', '.join(words.smooth(pool) for _ in range(3))})"
        if name == "S2":
            writer.add("vector_field", f"cross({free}, y.q)", "y")
        else:
            rates = f"cross(y.omega, y.q), cross(y.q, {free})"
            parts = [f"{c}[{k}]" for c in (rates.split(", cross(y.q")[0], f"cross(y.q, {free})") for k in range(3)]
            writer.add("vector_field", f"vec({', '.join(parts)})", "y")
    else:
        drawn.categories.add("field")
        free = [words.smooth(pool) if words.chance(0.6) else words.number() for _ in range(algebra)]
        writer.add("field", f"vec({', '.join(free)})", "y")
    if len(drawn.nodes) > 1:
        alone = Part("", {"q": drawn.nodes[1].space}, [])
        Writer(words, drawn, alone).kinetic()
        part.terms += alone.terms  # kinetic energies do not depend on points
        body = Writer(words, drawn, part)
        body.potential()
        body.forces()
    writer.add("energy", words.smooth(own))
    writer.outputs()


def _of_accelerations(words: Words, drawn: Drawn) -> None:
    """Acceleration-level constraints of nodes with accelerations."""
    names = [words.one(LIE_GROUPS[1:])]
    if space_of(names[0]).dimension < 2:
        names.append("R2")
    drawn.categories.add("acceleration rows")
    for k, name in enumerate(names):
        _node(words, drawn, f"q{k}", name)
    part = Part("", {n.name: n.space for n in drawn.nodes}, [tuple((n.name, 0) for n in drawn.nodes)])
    drawn.parts.append(part)
    writer = Writer(words, drawn, part)
    writer.kinetic()
    writer.potential()
    writer.forces()
    pool = [*writer.variables, *writer.velocities, "sin(t)"]
    terms = [f"{words.number()} * {v.replace('.v[', '.v_dot[')}" for v in writer.velocities if words.chance(0.7)]
    terms = terms or [writer.velocities[0].replace(".v[", ".v_dot[")]
    row = f"({' + '.join(terms)}) * (2 + sin({words.polynomial(writer.variables)})) + {words.smooth(pool)}"
    writer.add("acceleration", row, "driven")
    writer.outputs()


def _of_rods(words: Words, drawn: Drawn) -> None:
    """Masses that rods on TS² place, as in a chain of pendulums, with random masses, lengths and loads."""
    count = words.source.randint(1, 2)
    drawn.categories |= {"acceleration rows", "placed", "manifolds", "space TS2", "element types", "v_dot in fields"}
    begun = [start(words, "TS2") for _ in range(count)]
    drawn.nodes.append(Nodes("links", "TS2", [b[0] for b in begun], [[] for _ in begun], is_array=True))
    zeros = [[0.0] * 3 for _ in range(count + 1)]
    points = Nodes("points", "R3", [list(z) for z in zeros], [list(z) for z in zeros], is_array=True, fixed={0})
    points.placed = set(range(1, count + 1))
    drawn.nodes.append(points)
    body = Part("body", {"point": "R3"}, [(("points", k),) for k in range(1, count + 1)])
    body.parameters["masses"] = [words.source.randint(4, 16) / 8 for _ in range(count)]
    drawn.parts.append(body)
    writer = Writer(words, drawn, body)
    writer.add("kinetic", "masses * dot(point.x_dot, point.x_dot) / 2")
    writer.add("potential", "4 * masses * point.x[2]")
    writer.potential()
    writer.forces()
    rod = Part(
        "rod", {"above": "R3", "below": "R3", "link": "TS2"},
        [(("points", k), ("points", k + 1), ("links", k)) for k in range(count)],
    )  # fmt: skip
    rod.parameters["lengths"] = [words.source.randint(6, 12) / 8 for _ in range(count)]
    drawn.parts.append(rod)
    own = Writer(words, drawn, rod)
    apart = "(below.v_dot - above.v_dot)"
    own.add("acceleration", f"dot(link.q, {apart}) + lengths * dot(link.omega, link.omega)", "tension")
    h = f"cross(link.q, cross(link.q, {apart}) / lengths)"
    parts = [f"link.omega[{k}]" for k in range(3)] + [f"{h}[{k}]" for k in range(3)]
    own.add("field", f"vec({', '.join(parts)})", "link")
    own.add("place", "lengths * link.q", "below", "above")


def start(words: Words, space: str, *, moderate: bool = False) -> tuple[list[float], list[float], str]:
    """Initial values on a group or manifold, and the kind of their rotation angle."""
    of = space_of(space)
    kinds = {"generic": words.source.uniform(0.2, 2.0), "identity": 0.0, "near pi": math.pi - 1e-6,
             "near 2 pi": 2 * math.pi - 0.3}  # fmt: skip
    kind = "generic" if moderate or words.chance(0.6) else words.one(list(kinds))
    size = 0.6 if moderate else 1.5
    v = [words.source.uniform(-size, size) for _ in range(of.dimension)] if isinstance(of, Group) else []
    return of.start(words.source, kinds[kind]), v, kind
