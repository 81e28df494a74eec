; The captures are explained in language.py.

(comment) @comment
[(identifier) "__future__"] @identifier

; Control flow
[(if_statement) (for_statement) (while_statement)] @branch
[(try_statement) (match_statement)] @branch.block
[
  (elif_clause)
  (except_clause)
  (conditional_expression)
  (boolean_operator)
  (for_in_clause)
  (if_clause)
  (case_clause (case_pattern (_)))
] @decision

; Declarations
(function_definition) @function
(yield) @function.yields
(lambda) @function.arrow
(class_definition) @class
(class_definition superclasses: (argument_list [
  (identifier) (attribute) (subscript) (call) (list_splat) (parenthesized_expression)
  (conditional_expression) (binary_operator)
] @extends))
(class_definition superclasses: (argument_list (keyword_argument value: (_) @class.keyword)))
(decorator) @decorator
(type_alias_statement left: (type (identifier))) @type
(type_alias_statement left: (type (generic_type))) @type

; Places for types, in which names may be in quotes
(typed_parameter type: (type) @annotation)
(typed_default_parameter type: (type) @annotation)
(function_definition return_type: (type) @annotation)
(assignment type: (type) @annotation)
(type_alias_statement right: (type) @annotation)
(class_definition superclasses: (argument_list (subscript) @annotation))

; What the grammar takes for statements: type(a).b = c, print >> a, b
(type_alias_statement "type" @identifier left: (type (attribute)))
(type_alias_statement "type" @identifier left: (type (subscript)))
(type_alias_statement "type" @identifier left: (type (parenthesized_expression)))
(print_statement "print" @identifier)
(exec_statement "exec" @identifier)

; Names given to values
(assignment) @binding
(named_expression name: (_) @binding.target)
(for_statement left: (_) @binding.target)
(with_item value: (as_pattern alias: (as_pattern_target (_) @binding.target)))
(with_item value: (parenthesized_expression
  (as_pattern alias: (as_pattern_target (_) @binding.target))))
(with_item value: (tuple (as_pattern alias: (as_pattern_target (_) @binding.target))))

; Modules
[(import_from_statement) (future_import_statement)] @import
(import_statement name: (_) @import.module)
(import_from_statement module_name: (_) @import.source)
(future_import_statement "__future__" @import.source)
(import_from_statement name: (_) @import.name)
(future_import_statement name: (_) @import.name)
(wildcard_import) @import.star
(if_statement
  condition: [(identifier) (attribute)] @_condition
  consequence: (block) @types.only
  (#match? @_condition "(^|\\.)TYPE_CHECKING$"))
