"""Sphinx extensions of `docs/conf.py`: reference pages, links, and results of gallery examples."""
