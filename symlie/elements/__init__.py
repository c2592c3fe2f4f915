"""Ready-made elements, written with the public interface alone."""
