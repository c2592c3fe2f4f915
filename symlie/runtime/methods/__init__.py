"""Methods of integration: families, tableaux, orders, control of steps."""
