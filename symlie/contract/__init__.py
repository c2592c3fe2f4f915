"""Interface between generated code and its users; nothing here imports SymPy."""
