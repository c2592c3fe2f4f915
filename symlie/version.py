"""The version, stated once; the build reads it from here."""

VERSION = "0.2.0.dev0"
