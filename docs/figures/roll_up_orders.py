"""Figure 1 of Tumiotto and Arnold 2024 (drift-off abstract): orders of convergence on the roll-up manoeuvre.

Kirchhoff rod with 8 segments, half a second, half-explicit methods of order 2 to 5. Writes ``roll_up_orders.png``.
"""

from __future__ import annotations

from drawing import write

import symlie as sl
from symlie.models import roll_up
from symlie.runtime.study.comparison import EndState

T_END = 0.5
STEPS = [2.0**-k for k in range(9, 13)]


def main() -> None:
    """Run, print the table, draw."""
    system = roll_up.build(segments=8, constraint="kirchhoff").derive().compile()
    finest = EndState.of(sl.solve(system, T_END, h=2.0**-15, record_every=0))
    methods = [f"half_explicit_{order}" for order in (2, 3, 4, 5)]
    rows = list(sl.convergence(system, T_END, methods, STEPS, reference=finest))
    for row in rows:
        order = "" if row.order.q is None else f"{row.order.q:.2f} {row.order.v:.2f} {row.order.multipliers:.2f}"
        error = f"{row.error.q:.2e} {row.error.v:.2e} {row.error.multipliers:.2e}"
        print(f"{row.method} h = {row.h:.3e}: errors {error}, orders {order}, |Phi| {row.max_constraint_residual:.1e}")
    write(sl.plot_convergence(rows), "roll_up_orders.png")


if __name__ == "__main__":
    main()
