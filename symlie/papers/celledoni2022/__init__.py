"""Items of [Celledoni2022]: integrators on manifolds."""
