"""The stages in order, and where each one's table goes: the modules call stages and run the actions between them."""
