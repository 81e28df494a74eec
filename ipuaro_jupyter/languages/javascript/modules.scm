; What is inside imports and exports, in JavaScript, TypeScript and TSX.

(import_statement source: (string) @import.source)
(import_clause (identifier) @import.default)
(namespace_import (identifier) @import.all)
(import_specifier) @import.name
(export_statement source: (string) @import.source)
(export_statement "*" @export.all)
(namespace_export) @export.all
(export_specifier) @export.name
(export_statement value: (_) @export.value)
