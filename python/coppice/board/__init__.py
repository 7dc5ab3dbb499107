"""What one game looks like: what stands where, and how it is drawn."""
