"""Contacts with impacts, and friction of constraints."""
