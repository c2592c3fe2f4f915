"""Parts of ``symlie verify`` for quantities derived from coefficient functions."""
