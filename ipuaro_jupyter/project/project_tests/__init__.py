"""The project's own tests: a folder in; the runner's command, its results and failures out.

Doors: ``runners`` (the runner a project uses), ``runner_commands`` (its argv), ``test_results`` and
``failed_tests`` (parsers of its output), ``settings_files`` (what configures it).
"""
