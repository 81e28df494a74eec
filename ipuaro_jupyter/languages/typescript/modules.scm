; What TypeScript and TSX add inside imports and exports.

(import_require_clause (identifier) @import.equals)
(import_require_clause source: (string) @import.source)
(export_statement "=" . (_) @export.value)
