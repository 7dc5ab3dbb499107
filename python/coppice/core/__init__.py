"""The typed front of the core: specs, games, states, players, and what is written in Python for it."""
