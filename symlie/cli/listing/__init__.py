"""What ``symlie list`` shows of one kind of thing."""
