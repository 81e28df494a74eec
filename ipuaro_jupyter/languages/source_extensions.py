"""Extensions of programming languages and templates, whether or not the index reads them.

Those that GitHub's linguist counts as programming, and as templates; data, prose, styles and
images are not among them.
"""

_SYSTEMS = frozenset(
    {
        *(".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".m"),
        *(".mm", ".cu", ".cuh", ".rs", ".go", ".zig", ".nim", ".v", ".sv", ".vhd", ".vhdl"),
        *(".s", ".asm", ".ada", ".adb", ".ads", ".f", ".for", ".f77", ".f90", ".f95", ".f03"),
        *(".f08", ".pas", ".pp", ".dpr", ".wat", ".cob", ".cbl", ".odin", ".cr", ".ino", ".hx"),
        *(".metal", ".glsl", ".vert", ".frag", ".hlsl", ".wgsl", ".sol", ".vala"),
    }
)
_MANAGED = frozenset(
    {
        *(".java", ".kt", ".kts", ".scala", ".sc", ".groovy", ".gradle", ".gvy", ".clj", ".cljs"),
        *(".cljc", ".cs", ".csx", ".fs", ".fsi", ".fsx", ".vb", ".vbs", ".swift", ".dart"),
        *(".cfc", ".xtend", ".ceylon", ".bal", ".apex"),
    }
)
_SCRIPTS = frozenset(
    {
        *(".py", ".pyi", ".pyw", ".pyx", ".pxd", ".pxi", ".rb", ".rake", ".gemspec", ".php"),
        *(".phtml", ".php3", ".php4", ".php5", ".pl", ".pm", ".t", ".raku", ".lua", ".luau"),
        *(".tcl", ".r", ".jl", ".sh", ".bash", ".zsh", ".fish", ".ksh", ".csh", ".bat", ".cmd"),
        *(".ps1", ".psm1", ".awk", ".coffee", ".litcoffee", ".ls", ".ts", ".tsx", ".mts", ".cts"),
        *(".js", ".jsx", ".mjs", ".cjs", ".ipynb", ".gd", ".moon", ".sas", ".mojo"),
        *(".star", ".bzl", ".applescript", ".ahk", ".au3", ".vim", ".el", ".nu", ".pwn", ".nut"),
        *(".res", ".resi", ".re", ".rei", ".purs", ".elm", ".civet", ".imba", ".pegjs", ".jison"),
    }
)
_FUNCTIONAL = frozenset(
    {
        *(".hs", ".lhs", ".ml", ".mli", ".mll", ".mly", ".erl", ".hrl", ".ex", ".exs", ".lisp"),
        *(".lsp", ".cl", ".scm", ".ss", ".rkt", ".sml", ".fnl", ".idr", ".agda", ".lean", ".gleam"),
        *(".prolog", ".nix", ".dhall", ".jsonnet", ".libsonnet", ".wl", ".roc", ".unison"),
    }
)
_TEMPLATES = frozenset(
    {
        *(".vue", ".svelte", ".astro", ".html", ".htm", ".xhtml", ".mdx", ".marko", ".riot"),
        *(".ejs", ".eta", ".pug", ".jade", ".hbs", ".handlebars", ".mustache", ".liquid", ".njk"),
        *(".j2", ".jinja", ".jinja2", ".twig", ".erb", ".haml", ".slim", ".jsp", ".jspx", ".ftl"),
        *(".vm", ".cshtml", ".vbhtml", ".razor", ".aspx", ".ascx", ".heex", ".eex", ".leex"),
        *(".gohtml", ".tmpl", ".mako", ".tpl", ".latte", ".qml", ".xaml", ".gjs", ".gts"),
    }
)
_CODE = _SYSTEMS | _MANAGED | _SCRIPTS | _FUNCTIONAL | _TEMPLATES


def extension_of(path: str) -> str:
    """The last extension of a file, in lower case and with its dot; "" for none."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return (dot + last).lower() if stem else ""


def is_source(path: str) -> bool:
    """Whether a file is in a programming language or a template, by its name."""
    return extension_of(path) in _CODE
