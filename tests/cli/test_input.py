"""``--input``: tables of run-time inputs on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

CART = """
import symlie as sl

def build():
    model = sl.Model("cart")
    q = model.node("cart", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.generalized_force(q, [model.input("push")])
    return model
"""


def test_input_tables_are_read(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    file = tmp_path / "cart.py"
    file.write_text(CART)
    table = {"times": [0, 0.5], "values": [2, 4], "interpolation": "hold"}
    command = ["run", str(file), "--h", "0.1", "--backend", "numpy", "--method", "rkmk_rk44", "--json"]
    result = cli(*command, "--input", f"push={json.dumps(table)}")
    assert result.code == 0 and result.json["v"]["cart"][-1] == pytest.approx([3])
    with pytest.raises(SystemExit):
        cli(*command, "--input", "push=[1,2]")
