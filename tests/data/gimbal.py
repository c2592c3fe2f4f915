"""A gyroscope in a gimbal with springs, in any coordinates."""

import symlie as sl


def build(coordinates: str | None = None, form: str | None = None, step: str | None = None) -> sl.Model:
    """State the gimbal, its frames and its rotor."""
    model = sl.Model("gimbal")
    outer = sl.RigidBody(model, "outer", 0.5, [0.01, 0.012, 0.009], coordinates=coordinates, form=form, step=step)
    inner = sl.RigidBody(model, "inner", 0.3, [0.004, 0.006, 0.005], coordinates=coordinates, form=form, step=step)
    rotor = sl.RigidBody(
        model, "rotor", 0.4, [0.001, 0.001, 0.002], coordinates=coordinates, form=form, step=step, position=[0, 0, 0.05]
    )
    yaw = sl.RevoluteJoint(model, "yaw", model.ground, outer, at=[0, 0, 0], axis=[0, 0, 1])
    pitch = sl.RevoluteJoint(model, "pitch", outer, inner, at=[0, 0, 0], axis=[1, 0, 0])
    spin = sl.RevoluteJoint(model, "spin", inner, rotor, at=[0, 0, 0.05], axis=[0, 0.6, 0.8])
    sl.TorsionSpring(model, "yaw_spring", yaw, stiffness=0.2)
    sl.TorsionSpring(model, "pitch_spring", pitch, stiffness=0.3, damping=0.002)
    model.initial(yaw, angle=0.2)
    model.initial(pitch, angle=0.3, rate=0.5)
    model.initial(spin, rate=60.0)
    model.gravity([0, 0, -9.81])
    model.output("tip", rotor.point([0, 0.1, 0.02]), unit="m")
    return model
