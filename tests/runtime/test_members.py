"""Many systems in one compiled loop, bit-identical to single runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.contract.constants import Status
from symlie.runtime.integrate.members import MemberLoop, MemberStarts
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.system.system import System
from tests.systems import heavy_top_system, swing_system

MASSES = (15.0, 3.0, 40.0)


def new_loop(systems: list[System], t_end: float, begins: list[bool], lanes: int = 1, **words: Any) -> MemberLoop:
    """The loop over some systems."""
    request = requested(systems[0], t_end, RunOptions.of(words))
    starts = [beginning(system, request).at for system in systems]
    rows = (np.array([getattr(start, name) for start in starts]) for name in ("q", "v", "multipliers", "h"))
    elements = zip(*(system.prepared.elements for system in systems), strict=True)
    prepared = Prepared(np.array([s.prepared.model for s in systems]), tuple(np.array(part) for part in elements))
    return MemberLoop(systems[0], request, prepared, MemberStarts(np.array(begins), *rows), lanes)


def loop_over(systems: list[System], t_end: float, **words: Any) -> MemberLoop:
    """The loop over some systems, done."""
    loop = new_loop(systems, t_end, [True] * len(systems), **words)
    assert loop.run(lambda: None) == []
    return loop


@pytest.mark.parametrize(
    "words",
    [
        {"method": "half_explicit_5", "h": 1e-3},
        {"method": "half_explicit_5", "h": 1e-3, "record_every": 7},
        {"method": "half_explicit_5", "h": 1e-3, "record_every": 0},
        {"method": "half_explicit_5", "rtol": 1e-6, "t_eval": [0.0, 0.03, 0.1]},
        {"method": "generalized_alpha", "h": 1e-3, "record_every": 10},
        {"method": "bdf", "rtol": 1e-5, "t_eval": [0.05, 0.1]},
    ],
)
def test_members_are_bit_identical_to_single_runs(words: dict[str, Any]) -> None:
    systems = [heavy_top_system("SO3xR3").with_parameters(mass=mass) for mass in MASSES]
    loop = loop_over(systems, 0.1, **words)
    assert (loop.status == Status.DONE).all()
    for k, system in enumerate(systems):
        alone = sl.solve(system, 0.1, **words)
        assert loop.t[k].tobytes() == alone.t.tobytes()
        for name in ("q", "v", "multipliers", "carried"):
            assert getattr(loop, name)[k].tobytes() == getattr(alone, name).tobytes()
        end = loop.end(k)
        assert end.counters.steps == alone.statistics.steps == loop.count("steps")[k]
        assert end.t == loop.end_times[k] == 0.1


def test_events_are_assigned_to_their_members() -> None:
    """More simultaneous events than the buffer holds; a terminal one ends only its member."""
    base = swing_system()
    systems = [base.with_parameters(stiffness=k) for k in (100.0, 4.0, 900.0)]
    words: dict[str, Any] = {"h": 0.01, "record_every": 0, "method": "rkmk_dopri5"}
    loop = loop_over(systems, 10.0, **words)
    assert loop.status.tolist() == [Status.DONE, Status.DONE, Status.EVENT]
    for k, system in enumerate(systems):
        alone = sl.solve(system, 10.0, **words)
        assert [(e.name, e.t) for e in loop.events[k]] == [(e.name, e.t) for e in alone.events]
        for one, other in zip(loop.events[k], alone.events, strict=True):
            assert one.q.tobytes() == other.q.tobytes() and one.is_terminal == other.is_terminal
        assert loop.t[k].tobytes() == alone.t.tobytes()
    assert len(loop.events[0]) > 16


def test_member_exceeding_the_time_limit_is_stopped() -> None:
    systems = [heavy_top_system("SO3xR3").with_parameters(mass=mass) for mass in MASSES]
    loop = new_loop(systems, 0.5, [True, False, True], h=1e-5, record_every=0)
    assert loop.run(lambda: None, member_seconds=0.0) == [0, 2]
    assert loop.status[1] == Status.NOT_FINITE
    assert np.isnan(loop.t[1]).all() and (loop.t[[0, 2], 0] == 0).all() and np.isnan(loop.t[[0, 2], 1]).all()
