"""What has to do with Prolific."""
