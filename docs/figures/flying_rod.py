"""The flying spaghetti in space and its energy, as `Solution.plot` draws them. Writes ``flying_rod.png``."""

from __future__ import annotations

from drawing import write

import symlie as sl
from symlie.models import flying_spaghetti


def main() -> None:
    """Run and draw."""
    system = flying_spaghetti.build(segments=16, constraint="kirchhoff").derive().compile()
    solution = sl.solve(system, 8, rtol=1e-6, atol=1e-8)
    energy = solution.outputs["energy"]
    after = energy[solution.t >= 5]
    print(f"energy {energy[-1]:.6f} J, changed by {after.max() - after.min():.1e} J after the loads ended at t = 5 s")
    write(solution.plot(panels=["snapshots", "energy"]), "flying_rod.png")


if __name__ == "__main__":
    main()
