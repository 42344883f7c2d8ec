"""YAML with places: reading by libyaml's scanner, meaning by YAML 1.2's core schema, saving by
splices."""
