"""Time loops, events, checkpoints and dense output."""
