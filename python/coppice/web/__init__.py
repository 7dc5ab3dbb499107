"""The app: every game in the browser, what the search sees, the laboratory. The command line starts it."""
