; The captures are explained in language.py.

(comment) @comment
[(identifier) (package_identifier)] @identifier
(type_identifier) @identifier.type
(field_identifier) @identifier.member

; Control flow
[(if_statement) (for_statement)] @branch
(if_statement alternative: (if_statement) @branch.chained)
[(expression_switch_statement) (type_switch_statement) (select_statement)] @branch.block
[(expression_case) (type_case) (communication_case)] @decision
(binary_expression operator: ["&&" "||"] @decision)

; Declarations
(function_declaration) @function
(method_declaration) @function
(func_literal) @function.arrow
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @holder
  (generic_type type: (type_identifier) @holder)
  (pointer_type [(type_identifier) @holder (generic_type type: (type_identifier) @holder)])
  (parenthesized_type [
    (type_identifier) @holder
    (pointer_type [(type_identifier) @holder (generic_type type: (type_identifier) @holder)])
  ])
])))
(type_spec type: (struct_type)) @class
(type_spec type: (struct_type (field_declaration_list (field_declaration) @property)))
(type_spec type: (interface_type)) @interface
(type_spec type: (interface_type (method_elem) @function))
(type_spec type: (interface_type (type_elem) @extends))
(type_spec type: [
  (type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type)
  (map_type) (channel_type) (function_type) (parenthesized_type)
]) @type
(type_alias) @type
(const_spec) @constant
(var_spec) @variable

; Modules
(import_spec path: (_) @import.source)
