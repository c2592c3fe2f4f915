"""
Custom tableau
==============

A TOML file defines a Runge–Kutta method, with coefficients as fractions. The family determines the use of the tableau:
here, Ralston's method of order three becomes a Munthe-Kaas method with stages in the Lie algebra.

Verification: on a manifold, methods of order three and higher need commutators. Without them, the same coefficients
have order two.
"""

import tempfile
from pathlib import Path

import symlie as sl

folder = Path(tempfile.mkdtemp())
(folder / "ralston3.toml").write_text("""
name = "ralston3"
family = "rkmk"
A = [[], ["1/2"], ["0", "3/4"]]
b = ["2/9", "1/3", "4/9"]
c = ["0", "1/2", "3/4"]
""")
ralston = sl.load_tableau(folder / "ralston3.toml")
print(ralston)

# %%
# A body on SO(3) with a driving torque:

body = sl.Model("driven_body")
q = body.node("body", sl.SO3)
body.kinetic_energy(q.Omega.dot(sl.diag(1, 2, 3) * q.Omega) / 2)
body.torque(sl.vector(0, sl.sin(2 * body.t), 0), on=q)
body.initial(q, Omega=[1, 0.5, 2])
system = body.derive().compile()

steps = [2.0**-k for k in range(3, 9)]
reference = sl.solve(system, 2, method="taylor", rtol=1e-14)
rows = list(sl.convergence(system, 2, [ralston, "rkmk_kutta3"], steps, reference=reference))
sl.plot_convergence(rows)

# %%
# Without commutators, the series of the inverse tangent operator has too few terms:

plain = list(sl.convergence(system, 2, [ralston], steps, reference=reference, method_options={"commutators": 0}))
order = {"with": rows[len(steps) - 1].order.q or 0, "without": plain[-1].order.q or 0}
print("orders:", order)
assert abs(order["with"] - 3) < 0.2
assert abs(order["without"] - 2) < 0.2
