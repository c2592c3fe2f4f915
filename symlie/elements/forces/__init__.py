"""Forces between bodies and on joints."""
