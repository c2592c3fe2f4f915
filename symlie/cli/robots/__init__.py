"""Commands for robots from files."""
