"""Self-contained C and functional mock-up units of a system with a method."""
