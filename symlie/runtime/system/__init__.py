"""Systems: generated code, parameters, inputs and initial values."""
