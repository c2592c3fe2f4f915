"""Number arrays as JSON text, for pages with figures and for mesh shapes."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

Content: TypeAlias = dict[str, Any]
"""JSON object."""

TYPES = {"float32": "<f4", "float64": "<f8", "int32": "<i4", "uint8": "|u1"}
"""Number types and their NumPy names: little endian on every machine."""

LEVEL = 9
"""Compression level, fixed so that equal numbers give equal bytes."""

LARGEST_NUMBER = 2.0**26
"""Largest integer of a series, whose signed third differences fit into 32 bits."""

MOST_DIFFERENCES = 3
"""Largest number of times that a series is differenced."""


def encoded(values: object, kind: str = "float32") -> dict[str, object]:
    """Return an array as JSON: shape, type, and numbers in base64, ``deflated`` by zlib if that is shorter."""
    array = np.ascontiguousarray(np.asarray(values), dtype=TYPES[kind])
    plain = array.tobytes()
    packed = zlib.compress(plain, LEVEL)
    is_shorter = len(packed) < len(plain)
    text = base64.b64encode(packed if is_shorter else plain).decode("ascii")
    return {"shape": list(array.shape), "type": kind, "deflated": is_shorter, "base64": text}


def encoded_series(values: object, step: float) -> dict[str, object]:
    """Return a series over time, shape (n, …), as JSON: differences of values rounded to a power-of-two grid."""
    array = np.asarray(values, dtype=float)
    step = max(step, float(np.abs(array).max(initial=0.0)) / LARGEST_NUMBER) or 1.0
    unit = 2.0 ** math.floor(math.log2(step))
    numbers = np.round(array.reshape(len(array), -1) / unit).astype(np.int64)
    # For compression, signs are folded (2 k, or -2 k - 1 below zero), and the lowest bytes of all numbers come first,
    # with the times of each component adjacent.
    candidates = []
    for order in range(MOST_DIFFERENCES + 1):
        folded = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers).T.astype("<u4")
        planes = np.ascontiguousarray(folded).view(np.uint8).reshape(-1, 4).T
        candidates.append((zlib.compress(planes.tobytes(), LEVEL), order))
        numbers = np.diff(numbers, axis=0, prepend=np.zeros((1, numbers.shape[1]), dtype=np.int64))
    packed, order = min(candidates, key=lambda candidate: len(candidate[0]))
    text = base64.b64encode(packed).decode("ascii")
    about = {"shape": list(array.shape), "type": "float32", "deflated": True}
    return about | {"unit": unit, "differences": order, "base64": text}


def decoded(content: Mapping[str, object]) -> np.ndarray:
    """Return the array of `encoded` or `encoded_series`; raise KeyError, TypeError or ValueError on other content."""
    raw = base64.b64decode(str(content["base64"]), validate=True)
    raw = zlib.decompress(raw) if content["deflated"] else raw
    shape, kind = content["shape"], TYPES[str(content["type"])]
    if not isinstance(shape, list):
        raise TypeError("the shape of an array is a list")
    if "differences" not in content:
        return np.frombuffer(raw, dtype=kind).reshape(shape)
    planes = np.frombuffer(raw, dtype=np.uint8).reshape(4, -1).T
    folded = np.ascontiguousarray(planes).view("<u4").astype(np.int64)
    numbers = np.where(folded % 2, -(folded + 1) // 2, folded // 2).reshape(-1, shape[0])
    for _ in range(int(str(content["differences"]))):
        numbers = np.cumsum(numbers, axis=1)
    return (numbers.T * float(str(content["unit"]))).astype(kind).reshape(shape)


def compact_json(content: object) -> str:
    """Return JSON without whitespace; equal contents give equal texts."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
