"""Steps of families as programs, one file each, with the equations at their lines."""
