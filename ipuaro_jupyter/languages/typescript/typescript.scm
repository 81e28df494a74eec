; What TypeScript and TSX add.

(type_identifier) @identifier

; Declarations
(abstract_class_declaration) @class
(function_signature) @function
(interface_declaration) @interface
(enum_declaration) @enum
(enum_body name: (_) @member)
(enum_assignment name: (_) @member)
(type_alias_declaration) @type
[(internal_module) (module)] @namespace
(extends_clause) @extends
(implements_clause (_) @implements)
(extends_type_clause type: (_) @extends)

; Members
(class_body [(method_signature) (abstract_method_signature)] @method)
(interface_body (method_signature) @method)
(public_field_definition) @property
(interface_body (property_signature) @property)

; Names given to values
(variable_declarator value: [
  (as_expression) (satisfies_expression) (non_null_expression)
]) @binding
(assignment_expression right: [(as_expression) (satisfies_expression)]) @binding
(pair value: [(as_expression) (satisfies_expression)]) @binding

; Variables in a namespace or after `declare`
(internal_module body: (statement_block
  [(lexical_declaration) (variable_declaration)] @variables))
(module body: (statement_block [(lexical_declaration) (variable_declaration)] @variables))
(ambient_declaration (statement_block
  [(lexical_declaration) (variable_declaration)] @variables))
(ambient_declaration [(lexical_declaration) (variable_declaration)] @variables)

; Modules
(import_require_clause (identifier) @import.equals)
(import_require_clause source: (string) @import.source)
(import_alias . "import" . (identifier) @import.alias)
(export_statement "=" . (_) @export.value)
