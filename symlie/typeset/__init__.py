"""Display of equations of motion: Markdown and LaTeX of model definitions and derived terms."""
