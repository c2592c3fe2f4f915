"""Coefficients of methods: exact numbers, tableaux that check themselves, and their order conditions."""
