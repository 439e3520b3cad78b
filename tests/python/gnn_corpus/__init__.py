"""Graph networks written with user-defined functions of DGL, after operators in use."""
