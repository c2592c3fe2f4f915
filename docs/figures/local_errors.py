"""Figure 10 of Tumiotto and Arnold 2024: estimates of the local error for fixed steps 2h, h and h/2.

Roll-up manoeuvre (8 segments) and flying spaghetti (16 segments) with the Kirchhoff constraint, method of order 5,
Atol = 1e-8, Rtol = 1e-6. Writes ``local_errors.png``.
"""

from __future__ import annotations

import numpy as np
from drawing import letters, picture, write

import symlie as sl
from symlie.models import flying_spaghetti, roll_up
from symlie.runtime.plot.step_figure import draw_errors

T_END = 5.0
RODS = {
    "roll-up": (roll_up.build(segments=8, constraint="kirchhoff"), 9),
    "flying spaghetti": (flying_spaghetti.build(segments=16, constraint="kirchhoff"), 9),
}
"""Models, and k of the middle step size h = 2⁻ᵏ s."""


def main() -> None:
    """Draw both rods side by side and print the ratios of the estimates."""
    with picture(6.6, 2.9) as figure:
        panels = figure.subplots(1, 2)
        for axes, letter, (name, (model, k)) in zip(panels, letters(), RODS.items(), strict=False):
            system = model.derive().compile()
            traces = {}
            for label, power in (("2h", k - 1), ("h", k), ("h/2", k + 1)):
                solution = sl.solve(system, T_END, h=2.0**-power, rtol=1e-6, atol=1e-8, trace=True, record_every=0)
                assert solution.trace is not None
                traces[f"${label}$"] = solution.trace
            draw_errors(axes, traces)
            axes.set_title(f"({letter}) {name}, $h = 2^{{-{k}}}$ s", loc="left")
            axes.set_xlabel("$t$ in s")
            coarse, middle, fine = (trace.error for trace in traces.values())
            for text, ratio in (("2h : h  ", coarse / middle[::2]), ("h : h/2", middle / fine[::2])):
                low, median, high = np.quantile(ratio, (0.1, 0.5, 0.9))
                print(f"{name}, {text}: median ratio {median:.1f}, 80 % between {low:.1f} and {high:.1f}")
        panels[1].set_ylabel("")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        write(figure, "local_errors.png")


if __name__ == "__main__":
    main()
