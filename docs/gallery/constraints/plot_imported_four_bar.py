"""
Four-bar linkage from an MJCF file
==================================

In an MJCF file, an equality closes the loop of a four-bar linkage. MuJoCo satisfies it by a stiff spring and a damper;
the model that ``sl.from_mjcf`` returns satisfies it exactly. The loop is planar: the import removes the equation along
the axes of the hinges, which always holds.

Verification: the loop of the imported linkage stays closed within 1e-11 m over ten seconds of fifth-order steps, and
its energy is constant. The soft loop of MuJoCo opens by more than a micrometre.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import mujoco
import numpy as np

import symlie as sl

FILE = Path(sys.argv[0]).with_name("imported_four_bar.xml")
END, SPEED = 10.0, 4.0

robot = sl.from_mjcf(FILE)
print("loops without dependent equations:", robot.planar_loops)
robot.initial(crank_pivot_rate=SPEED)
system = robot.compile()
print(system.mobility())

# %%
# The method is of order five.

solution = sl.solve(system, END, h=1e-3, method="half_explicit_5", t_eval=np.linspace(0, END, 501))
residual = solution.statistics.max_constraint_residual
print("largest opening of the loop:", residual, "m; energy drift:", np.ptp(solution.outputs["energy"]), "J")
assert residual < 1e-11 and np.ptp(solution.outputs["energy"]) < 1e-8

# %%
# MuJoCo starts from the same rates.

model = mujoco.MjModel.from_xml_path(str(FILE))
data = mujoco.MjData(model)
for name in robot.joints:
    data.joint(name).qvel = solution.outputs[f"{name}_rate"][0]
times, openings = [], []
while data.time < END:
    mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    pin = data.body("rocker").xpos + data.body("rocker").xmat.reshape(3, 3) @ model.eq_data[0, 3:6]
    times.append(data.time)
    openings.append(np.linalg.norm(data.site("pin").xpos - pin))
print("largest opening of the soft loop:", max(openings), "m")
assert max(openings) > 1e-6

closed = np.linalg.norm(system.constraint(system.state(solution)), axis=1)
figure, axes = plt.subplots(layout="constrained")
axes.semilogy(times, np.maximum(openings, 1e-17), label="MuJoCo")
axes.semilogy(solution.t, np.maximum(closed, 1e-17), label="symlie")
axes.set(xlabel="time, s", ylabel="opening of the loop, m")
axes.legend()
_ = figure

# %%
# The view draws the shapes of the file.

solution.view()
