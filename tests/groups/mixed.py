"""A model with nodes of many kinds, coupled by a potential."""

from __future__ import annotations

import functools

import symlie as sl
from symlie.derive.equations import Equations
from tests.groups.samples import sample


@functools.cache
def mixed_equations(scaling_group: str = "AffineLine") -> Equations:
    """A wheel, a bar in the plane, a satellite with a rotation vector, a shear, a change of scale, and a point."""
    model = sl.Model(f"mixed_{scaling_group}")
    k = model.parameter("stiffness", 3.0, unit="N/m")
    g = model.parameter("gravity", 9.81, unit="m/s^2")
    wheel, bar = model.node("wheel", sl.SO2), model.node("bar", sl.SE2)
    satellite, shear = model.node("satellite", "SO3rvxR3"), model.node("shear", sample("SL2"))
    scaling, point = model.node("scaling", sample(scaling_group)), model.node("point", "R2")
    for number, node in enumerate((wheel, bar, satellite, shear, scaling, point), start=1):
        model.kinetic_energy(number * node.v.dot(node.v) / 2)
    inertia = sl.diag(0.2, 0.5, 1.1)
    model.kinetic_energy(satellite.Omega.dot(inertia * satellite.Omega) / 2)
    model.potential_energy(g * (bar.x + bar.R * sl.vector(0.3, 0.1))[1])
    rim = wheel.R * sl.vector(0.5, 0)
    tip = bar.x + bar.R * sl.vector(-0.4, 0)
    for stretch in (tip - rim, rim - point.x):
        model.potential_energy(k * stretch.dot(stretch) / 2)
    corner = satellite.x + satellite.R * sl.vector(0.1, 0.2, 0.3)
    if scaling_group == "Sim3":
        strain = corner - scaling.S * sl.vector(0.2, 0.1, 0) - scaling.x
        model.initial(scaling, Omega=[0.5, 0, 0.2], U=[0.1, 0.2, 0.1], sigma=[0.3])
    else:
        strain = corner - sl.vector(scaling.a[0], scaling.b[0], 0)
        model.initial(scaling, v=[0.4, -0.2])
    model.potential_energy(k * strain.dot(strain) / 2)
    model.potential_energy(k * scaling.log().dot(scaling.log()) / 2)
    deformed = shear.X * point.x
    model.potential_energy(k * (shear.log().dot(shear.log()) + deformed.dot(deformed)) / 2)
    model.output("corner", corner, unit="m")
    model.initial(wheel, p=[0.6, 0.8], Omega=[2])
    model.initial(bar, x=[0.4, -0.2], Omega=[-1], U=[0.3, 0.2])
    model.initial(satellite, psi=[0.3, -0.2, 0.5], Omega=[1, 0.5, -2], x_dot=[0.1, 0, 0])
    model.initial(shear, v=[0.3, -0.4, 0.2])
    model.initial(point, x=[0.3, 0.4], x_dot=[0, 0.5])
    return model.derive()
