"""Built-in elements, written only with the public API."""
