"""Arrays of numbers as text: what pages with a picture and shapes of meshes hold."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

Content: TypeAlias = dict[str, Any]
"""An object as JSON has it."""

TYPES = {"float32": "<f4", "float64": "<f8", "int32": "<i4", "uint8": "|u1"}
"""Types of numbers with their spelling in NumPy: little endian, wherever they are written."""

LEVEL = 9
"""Level of compression, always the same one, so that equal numbers give equal bytes."""

LARGEST_NUMBER = 2.0**26
"""Largest whole number of a series; its third differences fit into 32 bits with their signs."""

MOST_DIFFERENCES = 3
"""How often neighbours of a series are subtracted at most."""


def encoded(values: object, kind: str = "float32") -> dict[str, object]:
    """An array as JSON has it: its shape, its type, and its numbers in base64.

    Parameters
    ----------
    values
        Numbers.
    kind
        One of `TYPES`.

    Returns
    -------
    dict
        ``shape``, ``type``, ``base64`` and ``deflated``: whether the bytes are compressed as by zlib, which they are
        where that is shorter.
    """
    array = np.ascontiguousarray(np.asarray(values), dtype=TYPES[kind])
    plain = array.tobytes()
    packed = zlib.compress(plain, LEVEL)
    is_shorter = len(packed) < len(plain)
    text = base64.b64encode(packed if is_shorter else plain).decode("ascii")
    return {"shape": list(array.shape), "type": kind, "deflated": is_shorter, "base64": text}


def encoded_series(values: object, step: float) -> dict[str, object]:
    """An array over time as JSON has it, rounded: whole multiples of a unit, as differences of neighbouring times.

    Of smooth motions a tenth of the bytes of single precision remains.

    Parameters
    ----------
    values
        Finite numbers, shape (n, …).
    step
        What of them is not seen; the unit is the power of two next below.

    Returns
    -------
    dict
        As of `encoded`, with ``unit`` and ``differences``, how often neighbours were subtracted. The bytes are those of
        32-bit numbers, the lowest byte of all numbers first; each number is 2 k or, below zero, -2 k - 1, and the times
        of each component stand together.
    """
    array = np.asarray(values, dtype=float)
    step = max(step, float(np.abs(array).max(initial=0.0)) / LARGEST_NUMBER) or 1.0
    unit = 2.0 ** math.floor(math.log2(step))
    numbers = np.round(array.reshape(len(array), -1) / unit).astype(np.int64)
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
    """The array of `encoded` or `encoded_series`.

    Parameters
    ----------
    content
        What JSON holds.

    Raises
    ------
    KeyError, TypeError, ValueError
        It is none.
    """
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
    """JSON without blanks; equal contents give equal texts."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
