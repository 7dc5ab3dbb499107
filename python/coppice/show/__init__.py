"""Numbers turned into something to look at: tables, figures, sites, findings."""
