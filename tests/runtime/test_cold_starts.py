"""A first run compiles only functions that it calls."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symlie.models.systems import system_of_model
from symlie.runtime.integrate.driver_library import driver_files, driver_library, lanes_files
from symlie.runtime.linear.schur import BandedAlgebra
from symlie.runtime.methods.library import method
from tests.systems import heavy_top_system

CHAINS: dict[str, tuple[dict[str, Any], str]] = {
    "flying_spaghetti": ({}, "half_explicit_5"),
    "pendulum_chain": ({"links": 6}, "index1_dopri5"),
}
"""Models with bands, the options of their ``build``, and a method."""


def test_time_loops_export_no_kernels() -> None:
    system = heavy_top_system("SE3")
    library, _ = driver_library(system, method("half_explicit_5"))
    for name in ("prepare", "workspace", "integrate"):
        assert getattr(library.call, f"symlie_{name}")
    for name in ("force", "mass", "advance", "prescribe", "begin", "observe"):
        with pytest.raises(AttributeError):
            getattr(library.call, f"symlie_{name}")


@pytest.mark.parametrize("name", CHAINS)
def test_eliminations_are_compiled_for_one_bandwidth(name: str) -> None:
    options, chosen = CHAINS[name]
    system = system_of_model(name, options, backend="numpy")
    assert isinstance(system.algebra, BandedAlgebra)
    for files, main in (
        (driver_files(system, method(chosen)), "driver.c"),
        (lanes_files(system, method(chosen), 2), "lanes.c"),
    ):
        found = re.findall(r"#define NARROW_BANDWIDTH (\d+)\n", files[main])
        assert found == [str(system.algebra.bandwidth)] and int(found[0]) % 2


def test_small_systems_have_no_bands() -> None:
    files = driver_files(heavy_top_system("SE3", "numpy"), method("half_explicit_5"))
    assert "NARROW_BANDWIDTH" not in files["driver.c"]
