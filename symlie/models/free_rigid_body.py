"""The free rigid body: momentum in body axes on so(3)*, optionally with the attitude.

Source: [Celledoni2022], example 2.1, with f = -I⁻¹Π for momenta in body axes.
"""

import symlie as sl

OPTIONS = {"attitude": [False, True]}


def build(attitude: bool = False) -> sl.Model:
    """Return the free rigid body; with ``attitude``, the node ``frame`` integrates the rotation matrix as well."""
    model = sl.Model("free_rigid_body")
    inertia = model.parameter("inertia", [0.6, 0.8, 1.0], unit="kg m^2")
    body = model.node("body", sl.dual_space(sl.SO3, fields=("momentum",)))
    omega = sl.vector(*(p / i for p, i in zip(body.momentum, inertia, strict=True)))
    model.hamiltonian(body.momentum.dot(omega) / 2)
    model.initial(body, momentum=[sl.cos(1.1), 0, sl.sin(1.1)])
    model.output("momentum_norm", body.momentum.norm())
    if attitude:
        frame = model.node("frame", sl.translation_space(sl.SO3, "right"))
        model.field(frame, omega)
        model.output("spatial_momentum", frame.R * body.momentum)
    return model
