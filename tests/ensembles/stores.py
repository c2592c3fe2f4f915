"""An ensemble with made-up numbers, in a store."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symlie.ensembles.results import MemberResults, MemberStatus, joined
from symlie.ensembles.store import EnsembleStore, begin_store
from symlie.ensembles.store_index import Quantity, StoreIndex

TIMES = np.array([0.0, 0.5, 2.0])

INDEX = StoreIndex(
    design="abc",
    system="def",
    members=10,
    quantities=(
        Quantity("energy", "J", {"time": 3}, "total energy"),
        Quantity("top.R", "1", {"time": 3, "row_3": 3, "column_3": 3}),
        Quantity("status"),
        Quantity("mass", "kg"),
    ),
    parameters=(Quantity("mass", "kg"), Quantity("inertia", "kg m^2", {"component_3": 3})),
    event_names=("lowest", "at rest"),
    settings={"h": 0.1, "record": ["energy", "top.R"]},
)


def given(count: int = INDEX.members) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(1).random((count, 4))
    return {"mass": numbers[:, 0], "inertia": numbers[:, 1:]}


def results(*members: int) -> MemberResults:
    """Results of each member, independent of the others; every third one failed."""
    parts = [_result(member) for member in members]
    return joined(parts).rows(np.argsort(np.argsort(members)))


def _result(member: int) -> MemberResults:
    random = np.random.default_rng(member)
    has_failed = member % 3 == 2
    energy = random.random((1, 3))
    energy[:, 1:] = np.nan if has_failed else energy[:, 1:]
    events = member % 4
    return MemberResults(
        members=np.array([member]),
        values={
            "energy": energy,
            "top.R": random.random((1, 3, 3, 3)),
            "status": random.random(1),
            "mass": random.random(1),
        },
        status=np.array([MemberStatus.FAILED if has_failed else MemberStatus.OK], dtype=np.int8),
        sentences=(f"Member {member} φ is not finite." if has_failed else "",),
        kinds=("NotFiniteError" if has_failed else "",),
        steps=np.array([10 + member]),
        rejected=np.array([member]),
        end_time=np.array([0.25 if has_failed else 2.0]),
        cpu_seconds=random.random(1),
        event_names=INDEX.event_names,
        event_member=np.full(events, member),
        event_index=np.arange(events) % 2,
        event_instance=np.zeros(events, dtype=np.int64),
        event_time=np.arange(events) / 4,
    )


def new_store(folder: Path) -> EnsembleStore:
    return begin_store(folder, INDEX, given(), TIMES)


def assert_equal(one: MemberResults, other: MemberResults) -> None:
    """Compare everything bit by bit."""
    assert one.event_names == other.event_names and one.values.keys() == other.values.keys()
    pairs = [(one.columns[name], other.columns[name]) for name in one.columns]
    pairs += [(one.values[name], other.values[name]) for name in one.values]
    for x, y in pairs:
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        assert x.tolist() == y.tolist() if x.dtype == object else x.tobytes() == y.tobytes()
