"""Certificate checker that imports no other part of symlie."""
