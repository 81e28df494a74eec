"""What glob patterns match, for all that use them: the table that each user is tested with."""

PATHS = (
    *("c.ts", ".c.ts", "a/c.ts", "a/.c.ts", "a/b/c.ts", "a/b/[id]/c.ts"),
    *(".hidden/c.ts", "a/.hidden/c.ts"),
)

GLOBS = (
    (
        "**/*.ts",
        {"c.ts", "a/c.ts", "a/b/c.ts", "a/b/[id]/c.ts"},
        {".c.ts", "a/.c.ts", ".hidden/c.ts", "a/.hidden/c.ts"},
    ),
    ("a/**", {"a/c.ts", "a/b/c.ts", "a/b/[id]/c.ts"}, {"a/.c.ts", "a/.hidden/c.ts"}),
    ("a/**/c.ts", {"a/c.ts", "a/b/c.ts", "a/b/[id]/c.ts"}, {"a/.hidden/c.ts"}),
    ("a/*/c.ts", {"a/b/c.ts"}, {"a/.hidden/c.ts"}),
    ("a/?c.ts", set(), {"a/.c.ts"}),
    ("{a,.hidden}/*.ts", {"a/c.ts", ".hidden/c.ts"}, {"a/.c.ts"}),
    ("a/.*/c.ts", {"a/.hidden/c.ts"}, set()),
    ("**/.*.ts", {".c.ts", "a/.c.ts"}, set()),
    ("**/.hidden/*", {".hidden/c.ts", "a/.hidden/c.ts"}, set()),
    ("a/.hidden/c.ts", {"a/.hidden/c.ts"}, set()),
    ("a/b/[id]/*", {"a/b/[id]/c.ts"}, set()),
    ("./a/*.ts", {"a/c.ts"}, {"a/.c.ts"}),
)
"""A pattern, the `PATHS` that it finds, and those that it matches besides where it filters."""

SETS = (
    ("a/[.]c.ts", set(), {"a/.c.ts"}),
    ("[a-b]/c.ts", {"a/c.ts"}, set()),
)
"""The same for sets of characters, which the globs of configuration files do not have."""
