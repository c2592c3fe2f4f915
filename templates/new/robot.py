"""A robot arm of three links that follows a profile under control.

A model file is plain Python. 'symlie run FILE' calls build() with the options given by -o; this text's first sentence is
the model's summary. 'symlie list joints' lists all joints.
"""

import symlie as sl

Vector = list[float]
LINKS: dict[str, tuple[float, float, Vector, Vector, Vector]] = {
    # name: mass in kg, length in m, axis of its joint, and its start and direction at angle zero
    "column": (6.0, 0.4, [0, 0, 1], [0, 0, 0], [0, 0, 1]),
    "upper_arm": (4.0, 0.5, [0, -1, 0], [0, 0, 0.4], [1, 0, 0]),
    "forearm": (2.0, 0.4, [0, -1, 0], [0.5, 0, 0.4], [1, 0, 0]),
}
GOALS = {"column": 1.2, "upper_arm": 0.8, "forearm": -0.5}  # angles at the end of the profile, in rad


def build(group: str = "SO3xR3") -> sl.Model:
    """Define the model; each option of this function becomes -o NAME=VALUE on the command line."""
    model = sl.Model("new_model")
    before: sl.Connectable = model.ground
    for name, (mass, length, axis, start, along) in LINKS.items():
        middle = [s + length / 2 * a for s, a in zip(start, along)]
        slender = sl.inertia.cylinder(mass, radius=0.04, height=length, axis=along.index(1))
        link = sl.RigidBody(model, name, mass, slender, group, position=middle)
        joint = sl.RevoluteJoint(model, f"{name}_joint", before, link, at=start, axis=axis)

        # The controller's torque is P (target - angle) + D (target' - rate); gains are parameters of the model, and the
        # profile consists of two parabolas. Other profiles are expressions of model.t.
        target = sl.two_parabolas(model, f"{name}_profile", start=0.0, goal=GOALS[name], begin=0.1, end=1.1)
        sl.JointController(model, f"{name}_control", joint, P=2000.0, D=100.0, target=target)

        # For inverse dynamics, drive the joint instead: the effort is the torque that the motion requires.
        # joint.drive(target)
        before = link

    model.gravity([0, 0, -9.81])
    # Outputs are reported by 'symlie run', drawn and saved; joints, controllers and drives define their outputs.
    model.output("tool", link.point([0.2, 0, 0]), unit="m")
    return model


if __name__ == "__main__":
    # The same in Python: derive once, then solve as often as needed.
    system = build().derive().compile()
    solution = sl.solve(system, 1.5, h=1e-3)
    for name, goal in GOALS.items():
        angle, torque = solution.outputs[f"{name}_joint_angle"][-1], solution.outputs[f"{name}_control_effort"][-1]
        print(f"{name}: {angle:.4f} rad of {goal} rad, held by {torque:.3f} N m")
    stiff = system.with_parameters(upper_arm_control_P=8000.0)
    print("upper arm with four times the gain:", sl.solve(stiff, 1.5, h=1e-3).outputs["upper_arm_joint_angle"][-1])
