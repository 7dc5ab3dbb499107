"""What other programs talk to: GTP, lines of JSON, OpenSpiel."""
