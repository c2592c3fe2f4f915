"""Ready-made elements, written only with the public interface."""
