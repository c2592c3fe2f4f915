"""Version of the package, also read by the build."""

VERSION = "0.2.0.dev0"
