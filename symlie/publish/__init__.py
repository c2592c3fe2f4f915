"""Delivery of generated text: from the cache, or into a folder."""
