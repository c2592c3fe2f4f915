"""Files that versions of symlie wrote, kept so that later versions read them or say which version wrote them.

`tests/data/written/VERSION` holds one small set for each version that changed a format; ``python -m
tests.written.write`` writes the set of the present version. ``expected.json`` in each set says of each file whether the
present version reads it or refuses it, and which numbers are in it.
"""
