"""What is promised about speed, measured on servers of its own: `make bench`."""
