"""Command policy: the text of a shell command in, a verdict (denied, safe or ask) out.

Parses shell syntax into the commands that would run and judges each on its arguments; runs nothing.
What it knows of a program is data: ``programs/*.toml``.
Doors: ``command_policy`` (the verdict), ``program_files`` (where a program is),
``program_settings`` (what of a project decides what it runs), ``tsc_settings`` (what it has tsc
write), ``runner_folders`` (where a runner takes other files for tests), ``program`` (what is known
of it) and ``command_outline`` (the words of a question).
"""
