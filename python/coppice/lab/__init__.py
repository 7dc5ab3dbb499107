"""Many games, one question: matches, workers, the store, statistics, tournaments, sweeps, tuning."""
