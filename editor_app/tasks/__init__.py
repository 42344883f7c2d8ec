"""Long work in worker processes, with progress and a cancel that ends it at once. Knows no verb."""
