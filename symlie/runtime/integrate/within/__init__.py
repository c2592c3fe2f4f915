"""States within an accepted step: events, and switches of branches."""
