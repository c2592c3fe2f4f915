"""A checker of certificates that imports nothing of symlie."""
