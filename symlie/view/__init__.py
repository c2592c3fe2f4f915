"""Pages on which a solution moves in space: what is drawn of it, as data, and the file around them."""
