"""What `docs/conf.py` adds to Sphinx: pages of the reference, links, and what examples of the gallery show."""
