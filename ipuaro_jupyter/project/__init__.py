"""What the tools ask of the project's text and tests: ``search`` and ``project_tests``."""
