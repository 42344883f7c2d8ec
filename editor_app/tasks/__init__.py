"""Long work in worker processes: Qt-free, with progress, partial results, and a cancel that works at once."""
