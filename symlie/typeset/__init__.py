"""Equations of motion for readers: Markdown and LaTeX of what was stated and derived."""
