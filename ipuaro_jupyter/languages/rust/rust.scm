; The captures are explained in language.py.

[(line_comment) (block_comment)] @comment
[(identifier) (shorthand_field_identifier)] @identifier
(type_identifier) @identifier.type
(field_identifier) @identifier.member

; Control flow
[(if_expression) (for_expression) (while_expression) (loop_expression)] @branch
(else_clause (if_expression) @branch.chained)
(match_expression) @branch.block
(match_arm pattern: (match_pattern . (_))) @decision
(binary_expression operator: ["&&" "||"] @decision)
(let_chain "&&" @decision)
(let_declaration alternative: (block) @decision)
(try_expression "?" @decision)

; Declarations
[(function_item) (function_signature_item) (macro_definition)] @function
(closure_expression) @function.arrow
[(struct_item) (union_item)] @class
(struct_item body: (field_declaration_list (field_declaration) @property))
(union_item body: (field_declaration_list (field_declaration) @property))
(enum_item) @enum
(enum_variant name: (identifier) @member)
(trait_item) @interface
(trait_item bounds: (trait_bounds (_) @extends))
[(type_item) (associated_type)] @type
(mod_item body: (_)) @namespace
(const_item) @constant
(static_item) @variable

(impl_item) @methods
(impl_item trait: (_) @implements)
(impl_item type: [
  (type_identifier) @holder
  (primitive_type) @holder
  (scoped_type_identifier name: (type_identifier) @holder)
  (generic_type type: [
    (type_identifier) @holder
    (scoped_type_identifier name: (type_identifier) @holder)
  ])
  (reference_type type: [
    (type_identifier) @holder
    (primitive_type) @holder
    (scoped_type_identifier name: (type_identifier) @holder)
    (generic_type type: [
      (type_identifier) @holder
      (scoped_type_identifier name: (type_identifier) @holder)
    ])
  ])
])

(visibility_modifier) @exported
(function_modifiers "async" @async)

; Modules
(use_declaration) @import
(use_declaration argument: [(identifier) (scoped_identifier) (use_as_clause)] @import.name)
(use_list [(identifier) (scoped_identifier) (use_as_clause) (self)] @import.name)
(use_wildcard) @import.star
(scoped_use_list) @import.within
(extern_crate_declaration name: (identifier) @import.name)
(mod_item !body) @import.module
(token_tree "mod" . (identifier) @import.module . ";") ; in a macro, such as cfg_if!
(token_tree [(crate) (super)] @import.path)
(attribute_item (attribute (identifier) @_path value: (string_literal) @import.file)
  (#eq? @_path "path"))
(scoped_identifier path: [(crate) (super) (identifier)]) @import.path
(scoped_type_identifier path: [(crate) (super) (identifier)]) @import.path
