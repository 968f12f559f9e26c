"""Tools around the platform: running it, the demo, its pictures."""
