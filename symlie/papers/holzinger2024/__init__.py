"""Items of [Holzinger2024]."""
