"""A spherical pendulum in a magnetic field, as a vector field on the tangent bundle of the sphere.

A model file is plain Python. 'symlie run FILE' calls build() with the options given by -o; this text's first sentence is
the model's summary.
"""

import symlie as sl


def build() -> sl.Model:
    """Define the model; options of this function become -o NAME=VALUE on the command line."""
    model = sl.Model("new_model")

    # Parameters are inputs of the generated code: change them with --set field=3, without deriving or compiling again.
    g = model.parameter("gravity", 9.81, unit="m/s^2")
    B = model.parameter("field", 2.0, unit="1/s")

    # A node on a manifold has no velocity: a vector field defines its motion. Points of TS2 are (q, omega) with |q| = 1
    # and q·omega = 0. Other manifolds are sl.S2, sl.dual_space(group), sl.cotangent_space(group), products, and
    # user-defined ones.
    bob = model.node("bob", sl.TS2)
    q, omega = bob.q, bob.omega

    # A vector field, which must be tangent to the manifold. A Hamiltonian instead: model.hamiltonian(H).
    model.vector_field(bob, q=omega.cross(q), omega=-g * q.cross(sl.vector(0, 0, 1)) + B * q[2] * omega.cross(q))

    # Reported; it does not affect the motion.
    model.energy(omega.dot(omega) / 2 + g * q[2])
    model.output("height", q[2])

    # Initial values, a point of the manifold; change them with --init bob.omega=[0,1,0].
    model.initial(bob, q=[0.6, 0, 0.8], omega=[0.8, 1.5, -0.6])
    return model


if __name__ == "__main__":
    # The same in Python: derive once, then solve as often as needed. Steps stay on the manifold by construction.
    system = build().derive().compile()
    solution = sl.solve(system, 2, rtol=1e-8)
    q = solution.field("bob", "q")
    print("height at t = 2 s:", q[-1, 2], "with |q| off by", abs((q**2).sum(axis=1) - 1).max())
    weak = system.with_parameters(field=0.5)
    print("height in a weaker field:", sl.solve(weak, 2, rtol=1e-8).outputs["height"][-1])
