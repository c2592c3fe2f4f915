"""
BDF of orders one to five
=========================

A chain of masses with stiff springs and dampers swings slowly. Backward differentiation formulas use the configurations
of previous steps, in local coordinates about the new configuration; ``bdf`` selects order and step size.

Verification: ``bdf1`` to ``bdf5`` have the orders one to five. Higher orders allow longer steps.
"""

import matplotlib.pyplot as plt

import symlie as sl

model = sl.Model("hanging_masses")
masses = 4
nodes = [model.node(f"mass{k}", "R2") for k in range(masses)]
stiffness = model.parameter("stiffness", 1e4, unit="N/m")
above = sl.vector(0, 0)
for k, node in enumerate(nodes):
    model.kinetic_energy(0.5 * node.x_dot.dot(node.x_dot) / 2)
    model.potential_energy(0.5 * 9.81 * node.x[1])
    relative = node.x - above
    length = sl.sqrt(relative.dot(relative))
    if k == 0:
        model.constraint("rod", (relative.dot(relative) - 0.25) / 2)
    else:
        model.potential_energy(stiffness * (length - 0.5) ** 2 / 2)
        rate = model.rate(length)
        model.dissipation(60.0 * rate**2 / 2)
    model.initial(node, x=[0.3 * (k + 1), -0.4 * (k + 1)], x_dot=[0, 0])
    above = node.x
system = model.derive().compile()

# %%
# Three formulas with fixed steps:

methods = {1: "bdf1_index2", 3: "bdf3_index2", 5: "bdf5_index2"}
steps = [2.0**-k for k in range(9, 13)]
reference = sl.solve(system, 0.5, method="bdf5_index2", h=2.0**-14)
rows = list(sl.convergence(system, 0.5, list(methods.values()), steps, reference=reference))
for k, name in methods.items():
    resolved = [row for row in rows if row.method == name and (row.error.q or 0) > 1e-12]  # errors above rounding
    seen = resolved[-1].order.q or 0
    print(name, "observed order of q", seen)
    assert k - 0.3 < seen < k + 1
sl.plot_convergence(rows)

# %%
# Adaptive order and step size:

adaptive = sl.solve(system, 3, method="bdf", rtol=1e-6, trace=True)
trace = adaptive.trace
assert trace is not None
taken = trace.accepted
figure, (lengths, orders) = plt.subplots(2, 1, figsize=(7, 4), layout="constrained", sharex=True)
lengths.semilogy(trace.t[taken], trace.h[taken])
lengths.set(ylabel="step size, s")
orders.step(trace.t[taken], trace.order[taken], where="post")
orders.set(xlabel="time, s", ylabel="order", yticks=range(1, 6))
lengths_taken = trace.h[taken]
print(adaptive.statistics.steps, "steps, from", lengths_taken.min(), "to", lengths_taken.max(), "s")
assert trace.order[taken].max() == 5
assert lengths_taken.max() > 1000 * lengths_taken.min()

# %%
# View of the motion:

adaptive.view()
