"""Bad command lines, model files, tableaux and files, drawn from seeds: each ends with one named sentence."""
