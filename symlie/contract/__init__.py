"""What generated code and those who use it agree on; nothing here imports SymPy."""
