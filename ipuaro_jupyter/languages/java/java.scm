; The captures are explained in language.py.

[(line_comment) (block_comment)] @comment
(identifier) @identifier
(type_identifier) @identifier.type

; Control flow
[
  (if_statement) (for_statement) (enhanced_for_statement) (while_statement) (do_statement)
] @branch
(if_statement alternative: (if_statement) @branch.chained)
[(switch_expression) (try_statement) (try_with_resources_statement)] @branch.block
(switch_label "case") @decision
[(catch_clause) (ternary_expression)] @decision
(binary_expression operator: ["&&" "||"] @decision)

; Declarations
[(class_declaration) (record_declaration)] @class
[(interface_declaration) (annotation_type_declaration)] @interface
(enum_declaration) @enum
(enum_constant name: (identifier) @member)
(superclass (_) @extends)
(extends_interfaces (type_list (_) @extends))
(super_interfaces (type_list (_) @implements))
[
  (method_declaration)
  (constructor_declaration)
  (compact_constructor_declaration)
  (annotation_type_element_declaration)
] @function
(lambda_expression) @function.arrow
(object_creation_expression (class_body) @class.expression)
(enum_constant body: (class_body) @class.expression)
(field_declaration declarator: (variable_declarator) @property)
(constant_declaration declarator: (variable_declarator) @property)
(record_declaration parameters: (formal_parameters (formal_parameter) @property))

(modifiers "public" @exported)
(modifiers "static" @static)
(modifiers "abstract" @abstract)
(modifiers "final" @readonly)

; Modules
(package_declaration [(identifier) (scoped_identifier)] @import.package)
(import_declaration) @import
(import_declaration [(identifier) (scoped_identifier)] @import.name .)
(import_declaration (asterisk)) @import.star
