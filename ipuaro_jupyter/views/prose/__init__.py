"""What a model writes: Markdown as inert HTML, with formulas, tasks and links to files.

``markdown`` draws it, ``markdown_parser`` configures the parser, ``formula`` reads ``$$``.
"""
