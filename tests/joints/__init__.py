"""Bodies and joints."""
