"""Files of released versions: later versions read them, or report the version that wrote them.

`tests/data/written/VERSION` holds one small set for each version that changed a format; ``python -m
tests.written.write`` writes the set of the present version. ``expected.json`` in each set says of each file whether the
present version reads it or refuses it, and which numbers are in it.
"""
