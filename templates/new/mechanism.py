"""A driven four-bar mechanism in the plane, with a spring.

A model file is plain Python. 'symlie run FILE' calls build() with the options given by -o; this text's first sentence is
the model's summary. 'symlie list joints' lists all joints.
"""

import symlie as sl


def build() -> sl.Model:
    """Define the model; options of this function become -o NAME=VALUE on the command line."""
    model = sl.Model("new_model")

    # Bodies in their initial configuration: position of the node, by default the centre of mass, and orientation.
    # On SE2 everything stays in the plane and an inertia is one number; without group= bodies move in space.
    crank = sl.RigidBody(model, "crank", mass=0.5, inertia=0.01, group="SE2", position=[0, 0.25])
    coupler = sl.RigidBody(model, "coupler", mass=1.0, inertia=0.4, group="SE2", position=[1, 0.75])
    rocker = sl.RigidBody(model, "rocker", mass=1.0, inertia=0.1, group="SE2", position=[2, 0.5])

    # Joints at their points in the initial configuration. In space a hinge needs an axis as well.
    motor = sl.RevoluteJoint(model, "motor", model.ground, crank, at=[0, 0])
    sl.RevoluteJoint(model, "pin", crank, coupler, at=[0, 0.5])
    sl.RevoluteJoint(model, "bolt", coupler, rocker, at=[2, 1])
    pivot = sl.RevoluteJoint(model, "pivot", rocker, model.ground, at=[2, 0])

    # Forces, torques, drives; joint.angle and joint.rate are expressions of the model.
    model.gravity([0, -9.81])
    motor.torque(10 - 2 * motor.rate)  # or motor.drive(3 * model.t): its effort is then an output
    sl.TorsionSpring(model, "spring", pivot, stiffness=5.0)

    # Further elements of a model; remove the # to try them.
    # pivot.limit(-0.8, 0.8, stiffness=1e4)  # elastic stops, in rad
    # sl.Spring(model, "rope", model.ground, coupler, stiffness=50.0, at=[[1, 2], [1, 0.75]])
    # model.event("half_turn", motor.angle - sl.pi, terminal=False)  # a zero to locate
    return model


if __name__ == "__main__":
    # The same in Python: derive once, then solve as often as needed.
    system = build().derive().compile()
    print(system.mobility())  # degrees of freedom, and redundant constraints
    solution = sl.solve(system, 2, rtol=1e-8)
    print("motor after 2 s:", solution.outputs["motor_angle"][-1], "rad")
    print("force in the pin:", solution.outputs["pin_force"][-1], "N")
    solution.plot("new_model.png", panels=["snapshots", "motor_angle"])
