"""Conversion of the state of a time loop and its records to bytes."""

from __future__ import annotations

import dataclasses
import struct

import numpy as np

from symlie.contract.constants import TRACE_WIDTH
from symlie.errors import FormatError
from symlie.runtime.integrate.loop_state import OF_CHANGES, Counters, LoopState
from symlie.runtime.layout.layout import Layout
from symlie.runtime.solution.recorder import RankChange, Recorder
from symlie.runtime.solution.start import Start

_CHUNK = struct.Struct("<cQ")
"""Kind and number of the following rows: s (states), t (trace), e (events), r (rank changes), or bytes of
controllers."""

HISTORY, CONTROLLERS = b"h", b"c"
"""Kinds of chunks of controllers: values of inputs, and a pickle, of which the last one counts."""


def _counters(layout: Layout) -> list[dataclasses.Field[object]]:
    """Return the counters that a checkpoint contains."""
    return [f for f in dataclasses.fields(Counters) if layout.changes_state or f.name not in OF_CHANGES]


def _state_type(layout: Layout, own: int) -> np.dtype[np.void]:
    """Data type of a loop state, identical on every machine."""
    counters = [(f.name, "<f8" if f.type == "float" else "<i8") for f in _counters(layout)]
    flags = [(name, "<i8") for name in ("is_done", "has_acceleration", "has_event")]
    numbers = [(name, "<f8") for name in ("t", "cpu_seconds", "h")]
    vectors = [
        ("q", "<f8", (layout.storage,)),
        ("v", "<f8", (layout.dimension,)),
        ("multipliers", "<f8", (layout.rows,)),
        ("carried", "<f8", (layout.carried_size,)),
        ("acceleration", "<f8", (layout.dimension,)),
        ("event", "<f8", (len(layout.events),)),
    ]
    carried = [("has_own", "<i8"), ("own", "<f8", (own,))] if own else []
    return np.dtype([*counters, *flags, *numbers, *vectors, *carried])


def state_bytes(layout: Layout, own: int, state: LoopState) -> bytes:
    """Convert a state with ``own`` numbers of method history to bytes."""
    at, row = state.at, np.zeros((), dtype=_state_type(layout, own))
    for f in _counters(layout):
        row[f.name] = getattr(state.counters, f.name)
    row["is_done"], row["t"], row["cpu_seconds"], row["h"] = state.is_done, state.t, state.cpu_seconds, at.h
    row["q"], row["v"], row["multipliers"], row["carried"] = at.q, at.v, at.multipliers, at.carried
    if at.acceleration is not None:
        row["has_acceleration"], row["acceleration"] = 1, at.acceleration
    if at.event is not None:
        row["has_event"], row["event"] = 1, at.event
    if at.own is not None:
        row["has_own"], row["own"] = 1, at.own
    return row.tobytes()


def state_of(layout: Layout, own: int, data: bytes) -> LoopState:
    """Reconstruct a state from bytes; raise FormatError if the method history has another size."""
    kind = _state_type(layout, own)
    if len(data) != kind.itemsize:
        raise FormatError(
            f"A state in the checkpoint has {len(data)} bytes, but the method has states of {kind.itemsize} bytes in "
            "this version of symlie; repeat the run, or resume it with the version that wrote it."
        )
    row = np.frombuffer(data, dtype=kind)[0]
    counters = Counters(**{f.name: row[f.name].item() for f in _counters(layout)})
    q, v, multipliers, carried, acceleration, event = (
        np.array(row[name], dtype=float) for name in ("q", "v", "multipliers", "carried", "acceleration", "event")
    )
    at = Start(
        q,
        v,
        multipliers,
        carried,
        float(row["h"]),
        acceleration if row["has_acceleration"] else None,
        event if row["has_event"] else None,
        np.array(row["own"], dtype=float) if own and row["has_own"] else None,
    )
    return LoopState(float(row["t"]), at, counters, float(row["cpu_seconds"]), bool(row["is_done"]))


Lengths = tuple[int, int, int, int]
"""Number of rows of each kind."""

NOTHING: Lengths = (0, 0, 0, 0)


def lengths(recorder: Recorder) -> Lengths:
    return len(recorder), len(recorder.trace), len(recorder.events), len(recorder.rank_changes)


def new_records(recorder: Recorder, written: Lengths) -> bytes:
    """Records since the last checkpoint, as chunks of rows."""
    states, tried, events, changes = written
    known = {(e.name, e.instance): k for k, e in enumerate(recorder.layout.events)}
    happened = [
        np.concatenate([[known[e.name, e.instance], e.t], e.q, e.v, e.multipliers, e.carried, e.own])
        for e in recorder.events[events:]
    ]
    changed = [np.concatenate([[change.t], change.q, change.v]) for change in recorder.rank_changes[changes:]]
    chunks = (
        (b"s", recorder.states_since(states)),
        (b"t", recorder.trace.since(tried)[0]),
        (b"e", np.array(happened)),
        (b"r", np.array(changed)),
    )
    return b"".join(_CHUNK.pack(kind, len(rows)) + rows.astype("<f8").tobytes() for kind, rows in chunks if len(rows))


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return bytes as a chunk."""
    return _CHUNK.pack(kind, len(data)) + data


def read_records(recorder: Recorder, own: int, data: bytes) -> list[tuple[bytes, bytes]]:
    """Read all records, and return the chunks of controllers with their kinds."""
    others: list[tuple[bytes, bytes]] = []
    layout = recorder.layout
    sizes = (layout.storage, layout.dimension, layout.rows, layout.carried_size)
    places = np.cumsum(sizes)
    widths = {
        b"s": 1 + sum(sizes),
        b"t": TRACE_WIDTH,
        b"e": 2 + sum(sizes) + own,
        b"r": 1 + layout.storage + layout.dimension,
    }
    position = 0
    while position < len(data):
        kind, count = _CHUNK.unpack_from(data, position)
        position += _CHUNK.size
        if kind in (HISTORY, CONTROLLERS):
            others.append((kind, data[position : position + count]))
            position += count
            continue
        width = widths[kind]
        rows = np.frombuffer(data, "<f8", count * width, position).astype(float).reshape(count, width)
        position += 8 * count * width
        if kind == b"s":
            recorder.add_states(rows[:, 0], *np.split(rows[:, 1:], places[:-1], axis=1))
        elif kind == b"t":
            recorder.add_trace(rows)
        elif kind == b"r":
            recorder.rank_changes += [RankChange(float(row[0]), *np.split(row[1:], [layout.storage])) for row in rows]
        else:
            for row in rows:
                recorder.add_event(int(row[0]), float(row[1]), *np.split(row[2:], places))
    return others
