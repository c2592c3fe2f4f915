"""Tests of the papers: the framework with tiny items, and the lists and pages of all."""
