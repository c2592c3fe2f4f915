"""Items of [Tumiotto2024]: half-explicit methods on tops and rods."""
