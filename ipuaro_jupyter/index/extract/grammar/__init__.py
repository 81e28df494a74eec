"""Languages by grammar alone: a syntax tree and captures in, facts out. Door: ``grammar_facts``."""
