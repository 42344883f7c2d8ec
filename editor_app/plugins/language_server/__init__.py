"""The language server: findings, remedies, completion, hover, rename and definitions in any text
editor."""
