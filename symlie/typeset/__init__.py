"""Equations of motion for readers: Markdown and LaTeX of model definitions and derived terms."""
