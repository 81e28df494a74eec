; What JavaScript, TypeScript and TSX share. The captures are explained in language.py.

[(comment) (html_comment) (hash_bang_line)] @comment

[
  (identifier)
  (shorthand_property_identifier)
  (shorthand_property_identifier_pattern)
] @identifier
[
  (property_identifier)
  (private_property_identifier)
  (statement_identifier)
] @identifier.member
(meta_property ["target" "meta"] @identifier)

; Control flow
[
  (if_statement)
  (for_statement)
  (for_in_statement)
  (while_statement)
  (do_statement)
] @branch
[(switch_statement) (try_statement)] @branch.block
(else_clause (if_statement) @branch.chained)
[(switch_case) (catch_clause) (ternary_expression) "&&" "||" "??"] @decision

; Declarations
[(function_declaration) (generator_function_declaration)] @function
[(function_expression) (generator_function)] @function.expression
(arrow_function) @function.arrow
(method_definition) @method
(class_declaration) @class
(class) @class.expression
(ERROR "class" . (_) @class.broken)
(decorator) @decorator

; Names given to values
[(variable_declarator) (assignment_expression)] @binding.maybe
(assignment_expression right:
  (call_expression arguments: (arguments . [(arrow_function) (function_expression) (generator_function)]))) @binding
(pair value: [
  (arrow_function) (function_expression) (generator_function) (class) (object)
  (call_expression arguments: (arguments . [(arrow_function) (function_expression) (generator_function)]))
]) @binding

; Modules
(import_statement) @import
(export_statement) @export
