"""What plays where somebody waits for a move: opponents, clocks, opening books."""
