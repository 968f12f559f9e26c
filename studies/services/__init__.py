"""The writes of the studies app. Each public function is one transaction."""
