"""Helpers for files, messages, progress and checks of numbers, shared by all packages."""
