"""Adjoint of step programs: transposed instructions, and their C text."""
