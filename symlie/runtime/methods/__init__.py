"""Integration methods: families, tableaux, orders, step size control."""
