"""Two quadrotors that carry a point mass on rigid rods, free, with constant thrusts, or tracking a curve.

The third axis points along gravity; the unit vector q_i points from vehicle i to the load, so that the vehicle is at
y - L_i q_i. The configuration space is R⁶ x (SO(3) x R³)² x (TS²)². With ``control=constant`` and ``tracking``, thrusts
are vectors in inertial axes that do not depend on the attitudes; with ``full``, they point along the third axes of the
vehicles, and moments align these axes with the thrusts of the ``tracking`` law. Source: [Celledoni2022], section 6;
control laws: [Lee2013] and [Lee2010].
"""

from typing import Any

import symlie as sl

Vectors = list[sl.SymbolicMatrix]
Turns = tuple[tuple[sl.SymbolicMatrix, sl.SymbolicMatrix], ...]
"""Attitudes and angular velocities of the vehicles."""

OPTIONS = {"control": ["none", "constant", "tracking", "full"]}

GAINS = {"load_stiffness": 12.0, "load_damping": 5.0, "rod_stiffness": 16.0, "rod_damping": 5.0}
ATTITUDE_GAINS = {"attitude_stiffness": (40.0, "N m"), "attitude_damping": (4.0, "N m s")}
FORWARD = sl.vector(1, 0, 0)
"""Desired direction of the first axes of the vehicles, projected onto the plane across the third axes."""
DOWN = sl.vector(0, 0, 1)
SINE, COSINE = (f(sl.pi * 4 / 9).evalf() for f in (sl.sin, sl.cos))


def build(control: str = "none") -> sl.Model:
    """Return the model of the two quadrotors and their load."""
    model = sl.Model("quadrotors")
    mass = model.parameter("load_mass", 0.4, unit="kg")
    masses = model.parameter("vehicle_masses", [0.755, 0.755], unit="kg")
    lengths = model.parameter("lengths", [0.6, 0.8], unit="m")
    inertia = model.parameter("inertia", [0.0820, 0.0845, 0.1377], unit="kg m^2")
    g = model.parameter("gravity", 9.81, unit="m/s^2")
    space = sl.product_space(
        "R3", "R3", sl.SO3, "R3", sl.SO3, "R3", sl.TS2, sl.TS2, name="two_quadrotors",
        fields=["y", "v", "R1", "Omega1", "R2", "Omega2", "q1", "omega1", "q2", "omega2"],
    )  # fmt: skip
    x = model.node("quadrotors", space)
    rods, spins, turns = [x.q1, x.q2], [x.omega1, x.omega2], ((x.R1, x.Omega1), (x.R2, x.Omega2))
    if control == "none":
        thrusts: Vectors = [sl.vector(0, 0, 0)] * 2
    elif control == "constant":
        thrusts = [model.parameter(f"thrust{i}", [0, 0, -9.5], unit="N") for i in (1, 2)]
    else:
        thrusts = tracking_thrusts(model, x.y, x.v, rods, spins, mass, masses, lengths, g)
    wanted = thrusts
    if control == "full":
        axes = [R * DOWN for R, _ in turns]
        thrusts = [model.let(u.dot(axis) * axis) for u, axis in zip(wanted, axes, strict=True)]

    along = [q.dot(u) for q, u in zip(rods, thrusts, strict=True)]
    pull = [u - m * L * w.dot(w) for u, m, L, w in zip(along, masses, lengths, spins, strict=True)]
    relative = model.let(accelerated(model, rods, pull, mass, masses))  # v' - g e3
    swung = [
        model.let(q.cross(relative) / length - q.cross(u) / (m * length))
        for q, u, m, length in zip(rods, thrusts, masses, lengths, strict=True)
    ]
    if control == "full":
        rates = {"y": x.v, "v": relative + g * DOWN}
        for i in range(2):
            rates |= {f"q{i + 1}": spins[i].cross(rods[i]), f"omega{i + 1}": swung[i]}
        moments = attitude_moments(model, x, wanted, turns, sl.diag(inertia), rates)
    else:
        spin = [1, 1, 1] if control == "tracking" else [0, 0, 0]
        moments = [model.parameter(f"moment{i}", spin, unit="N m") for i in (1, 2)]
    f = [*x.v, *(relative + g * DOWN)]
    for (R, Omega), moment in zip(turns, moments, strict=True):
        L = sl.diag(inertia) * Omega
        torque = L.cross(Omega) + moment
        f += [*(R * Omega), *(torque[k] / inertia[k] for k in range(3))]
    for q, w, turned in zip(rods, spins, swung, strict=True):
        f += [*w, *q.cross(turned)]
    model.field(x, f)

    energy = mass * x.v.dot(x.v) / 2 - mass * g * DOWN.dot(x.y)
    for q, w, (_, Omega), m, length in zip(rods, spins, turns, masses, lengths, strict=True):
        velocity = x.v - length * w.cross(q)
        energy += m * velocity.dot(velocity) / 2 - m * g * DOWN.dot(x.y - length * q)
        energy += Omega.dot(sl.diag(inertia) * Omega) / 2
    model.energy(energy)
    model.output("load", x.y, unit="m")
    for k, (q, (R, _), length) in enumerate(zip(rods, turns, lengths, strict=True), start=1):
        model.output(f"vehicle{k}_x", x.y - length * q, unit="m")
        model.output(f"vehicle{k}_R", R)
        model.shape(f"vehicle{k}", sl.box(0.3, 0.3, 0.08))
    model.initial(x, y=[-2, 0, 0], q1=[SINE, 0, COSINE], q2=[-SINE, 0, COSINE])
    if control in ("none", "constant"):
        model.initial(x, v=[0.1, 0.2, -0.3], Omega1=[0.5, -0.4, 0.3], Omega2=[-0.2, 0.6, 0.1])
        for name, q0, w0 in (("omega1", [SINE, 0, COSINE], [1, 2, 3]), ("omega2", [-SINE, 0, COSINE], [-2, 1, 0.5])):
            direction, rate = sl.vector(*q0), sl.vector(*w0)
            model.initial(x, **{name: rate - direction.dot(rate) * direction})
    return model


def accelerated(model: sl.Model, rods: Vectors, pull: list[Any], mass: Any, masses: sl.SymbolicMatrix) -> Any:
    """Return M⁻¹ Σ pull_i q_i with M = m_y I + Σ m_i q_i q_iᵀ from a system of two equations instead of three."""
    q1, q2 = rods
    force = model.let(pull[0] * q1 + pull[1] * q2)
    a, b = mass / masses[0] + q1.dot(q1), mass / masses[1] + q2.dot(q2)
    c, f1, f2 = model.let([q1.dot(q2), q1.dot(force), q2.dot(force)])
    determinant = model.let(a * b - c * c)
    return (force - (b * f1 - c * f2) / determinant * q1 - (a * f2 - c * f1) / determinant * q2) / mass


def tracking_thrusts(
    model: sl.Model,
    y: sl.SymbolicMatrix,
    v: sl.SymbolicMatrix,
    rods: Vectors,
    spins: Vectors,
    mass: Any,
    masses: sl.SymbolicMatrix,
    lengths: sl.SymbolicMatrix,
    g: Any,
) -> Vectors:
    """Return thrusts that move the load along (t - 5/2, 0, (t - 5/2)² - 7) with the rods 30° to either side of the
    force."""
    ky, kyd, kq, kw = (model.parameter(name, value) for name, value in GAINS.items())
    t = model.t - sl.Rational(5, 2)
    target = [sl.vector(t, 0, t**2 - 7), sl.vector(1, 0, 2 * t), sl.vector(0, 0, 2), *[sl.vector(0, 0, 0)] * 2]
    swings = [w.cross(q) for q, w in zip(rods, spins, strict=True)]

    # The force on the load and its time derivatives, which are explicit because the law cancels the coupling.
    def force(place: sl.SymbolicMatrix, velocity: sl.SymbolicMatrix, order: int) -> Any:
        wanted = target[order : order + 3]
        free_fall = g * DOWN if order == 0 else 0 * DOWN
        return model.let(mass * (-ky * (place - wanted[0]) - kyd * (velocity - wanted[1]) + wanted[2] - free_fall))

    def borne(forces: Vectors, order: int) -> Vectors:
        """Return μ_i = 2/3 (F·q_i) q_i, or its rate."""
        if order == 0:
            return [model.let(sl.Rational(2, 3) * forces[0].dot(q) * q) for q in rods]
        return [
            model.let(sl.Rational(2, 3) * ((forces[1].dot(q) + forces[0].dot(s)) * q + forces[0].dot(q) * s))
            for q, s in zip(rods, swings, strict=True)
        ]

    forces = [force(y, v, 0)]
    shares = borne(forces, 0)
    acceleration = g * DOWN + (shares[0] + shares[1]) / mass
    forces.append(force(v, acceleration, 1))
    rates = borne(forces, 1)
    forces.append(force(acceleration, (rates[0] + rates[1]) / mass, 2))

    # The desired directions, with two rates each, are constant in the frame of the force and the formation plane.
    side = [sl.vector(0, 1, 0), *[sl.vector(0, 0, 0)] * 2]
    upright = unit(model, [-f for f in forces])
    across = unit(model, cross(model, forces, side))
    forward = cross(model, across, upright)
    thrusts = []
    for i, sign in enumerate((1, -1)):
        q, w, s, m, length = rods[i], spins[i], swings[i], masses[i], lengths[i]
        wanted = [model.let(sign * a / 2 + sl.sqrt(3) / 2 * b) for a, b in zip(forward, upright, strict=True)]
        rate = model.let(wanted[0].cross(wanted[1]))
        change = model.let(wanted[0].cross(wanted[2]))
        astray, faster = wanted[0].cross(q), w + q.cross(q.cross(rate))
        turn = -kq * astray - kw * faster - q.dot(rate) * s - q.cross(q.cross(change))
        other = shares[1 - i]
        along = shares[i] + m * length * w.dot(w) * q + m / mass * q * q.dot(shares[0] + shares[1])
        thrusts.append(model.let(along + m * length * q.cross(turn) - m / mass * q.cross(q.cross(other))))
    return thrusts


def attitude_moments(
    model: sl.Model,
    x: sl.Node,
    thrusts: Vectors,
    turns: Turns,
    J: sl.SymbolicMatrix,
    rates: dict[str, sl.SymbolicMatrix],
) -> Vectors:
    """Return moments that align -R e3 with the desired thrusts such that the attitude errors satisfy J e_Ω' = -k_R e_R
    - k_Ω e_Ω; ``rates`` are the rates of all state fields except R and Ω."""
    stiffness, damping = (model.parameter(name, value, unit) for name, (value, unit) in ATTITUDE_GAINS.items())
    axes = [sl.vector(*(int(k == j) for j in range(3))) for k in range(3)]
    turned = {
        f"R{i + 1}": R * sl.SymbolicMatrix.hstack(*(Omega.cross(axis) for axis in axes))
        for i, (R, Omega) in enumerate(turns)
    }
    moments = []
    for i, (u, (R, Omega)) in enumerate(zip(thrusts, turns, strict=True)):
        third = model.let(-u / u.norm())
        aside = third.cross(FORWARD)
        second = model.let(aside / aside.norm())
        goal = sl.SymbolicMatrix.hstack(second.cross(third), second, third)
        rate = model.let(unskewed(goal.T * model.rate_along(goal, x, **rates)))
        faster = model.rate_along(rate, x, **rates, **turned)
        astray = model.let(unskewed(goal.T * R - R.T * goal) / 2)
        back = model.let(R.T * goal)
        ahead = model.let(back * rate)
        moment = -stiffness * astray - damping * (Omega - ahead)
        moment += Omega.cross(J * Omega) - J * (Omega.cross(ahead) - back * faster)
        moments.append(model.let(moment))
        model.output(f"moment{i + 1}", moments[i], unit="N m")
        model.output(f"attitude_error{i + 1}", astray)
        model.output(f"thrust{i + 1}", -u.dot(R * DOWN), unit="N")
    return moments


def unskewed(matrix: sl.SymbolicMatrix) -> sl.SymbolicMatrix:
    """Return the vector a of the matrix of b -> a × b."""
    return sl.vector(matrix[2, 1], matrix[0, 2], matrix[1, 0])


def cross(model: sl.Model, a: Vectors, b: Vectors) -> Vectors:
    """Return a × b with its first two rates."""
    rate = a[1].cross(b[0]) + a[0].cross(b[1])
    return [model.let(c) for c in (a[0].cross(b[0]), rate, a[2].cross(b[0]) + 2 * a[1].cross(b[1]) + a[0].cross(b[2]))]


def unit(model: sl.Model, x: Vectors) -> Vectors:
    """Return x/|x| with its first two rates."""
    size, rate, second = model.let([x[0].dot(x[0]), 2 * x[0].dot(x[1]), 2 * x[1].dot(x[1]) + 2 * x[0].dot(x[2])])
    r = model.let(1 / sl.sqrt(size))
    dr = model.let(-(r**3) * rate / 2)
    ddr = model.let(3 * r**5 * rate**2 / 4 - r**3 * second / 2)
    return [model.let(c) for c in (r * x[0], dr * x[0] + r * x[1], ddr * x[0] + 2 * dr * x[1] + r * x[2])]
