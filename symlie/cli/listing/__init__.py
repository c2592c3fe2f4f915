"""Contents of ``symlie list`` by part."""
