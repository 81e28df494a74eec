"""TypeScript and JavaScript: a syntax tree in, declarations, imports, exports and scopes out."""
