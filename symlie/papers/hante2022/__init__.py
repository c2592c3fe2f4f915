"""Items of [Hante2022]: a variational integrator for rods."""
