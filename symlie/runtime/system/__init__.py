"""Systems: code, parameters, inputs and initial values."""
