"""Values: frozen, validated, without side effects."""
