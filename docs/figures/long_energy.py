"""Figure 7 of Hante, Tumiotto and Arnold 2022: energy of the flying spaghetti once its load is gone.

Without damping, 8 segments, steps of 2⁻⁸ s up to 110 s: the variational integrator, whose energy oscillates without
trend, and generalized-α, whose numerical damping takes energy away. Writes ``long_energy.png``.
"""

from __future__ import annotations

import numpy as np
from drawing import picture, write

import symlie as sl
from symlie.models import flying_spaghetti

T_END, STEP, SINCE = 110.0, 2.0**-8, 5.0


def main() -> None:
    """Run, print the trends, draw."""
    system = flying_spaghetti.build(segments=8).derive().compile()
    runs = {
        name: sl.solve(system, T_END, h=STEP, method=name, record_every=32) for name in ("rattlie", "generalized_alpha")
    }
    with picture(7.2, 3.0) as figure:
        left, right = figure.subplots(1, 2)
        for axes, (name, run) in zip((left, right), runs.items(), strict=True):
            kept = run.t >= SINCE
            t, energy = run.t[kept], run.outputs["energy"][kept]
            slope, start = np.polyfit(t, energy, 1)
            print(f"{name}: {energy.mean():.6g} J, oscillates by {np.ptp(energy):.2e} J, trend {slope:.2e} J/s")
            axes.plot(t, energy, linewidth=0.8)
            axes.plot(t, slope * t + start, "k:", label=f"trend {slope:.1e} J/s")
            axes.ticklabel_format(useOffset=False)
            axes.set(xlabel="time in s", ylabel="energy in J", title=name)
            axes.legend()
        write(figure, "long_energy.png")


if __name__ == "__main__":
    main()
