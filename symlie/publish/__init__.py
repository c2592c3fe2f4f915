"""Generated text on its way to those who run it: from the cache, or into a folder."""
