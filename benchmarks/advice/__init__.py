"""What is said about the code around a compiled model, as pairs of scripts measured before and after."""
