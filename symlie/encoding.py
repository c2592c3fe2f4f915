"""Arrays of numbers as text: what pages with a picture and shapes of meshes hold."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping

import numpy as np

TYPES = {"float32": "<f4", "float64": "<f8", "int32": "<i4", "uint8": "|u1"}
"""Types of numbers with their spelling in NumPy: little endian, wherever they are written."""

LEVEL = 9
"""Level of compression, always the same one, so that equal numbers give equal bytes."""


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


def decoded(content: Mapping[str, object]) -> np.ndarray:
    """The array of `encoded`.

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
    shape, kind = content["shape"], TYPES[str(content["type"])]
    if not isinstance(shape, list):
        raise TypeError("the shape of an array is a list")
    return np.frombuffer(zlib.decompress(raw) if content["deflated"] else raw, dtype=kind).reshape(shape)


def rounded(values: object, step: float) -> np.ndarray:
    """Numbers rounded to a multiple of the power of two next below a step, of which fewer bytes remain when compressed.

    Parameters
    ----------
    values
        Numbers.
    step
        What of them is not seen; zero leaves them as they are.
    """
    array = np.asarray(values, dtype=float)
    if not step > 0:
        return array
    unit = 2.0 ** np.floor(np.log2(step))
    return np.asarray(np.round(array / unit) * unit + 0.0)  # no negative zeros


def compact_json(content: object) -> str:
    """JSON without blanks; equal contents give equal texts."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
