"""Coefficients of methods: exact numbers, validated tableaux, and order conditions."""
