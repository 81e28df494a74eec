"""JSON and YAML: bytes in, the top-level keys out. Door: ``data_keys``."""
