"""What ``symlie verify`` says beside coefficient functions themselves."""
