"""Runs with events: derivatives at events, and cotangents at the start of passages that contain them."""
