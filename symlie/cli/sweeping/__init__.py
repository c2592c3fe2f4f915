"""Parts of ``symlie sweep``: design of the members, execution and reports."""
