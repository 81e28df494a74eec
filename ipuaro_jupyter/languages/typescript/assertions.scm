; What TSX cannot have.

(variable_declarator value: (type_assertion)) @binding
