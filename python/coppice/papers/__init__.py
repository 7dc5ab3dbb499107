"""What papers published, declared as experiments, and how they are run and judged."""
