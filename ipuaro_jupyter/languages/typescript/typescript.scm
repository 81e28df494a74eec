; What TypeScript and TSX add.

(type_identifier) @identifier.type
(expression/undefined) @identifier ; not the type
(ambient_declaration "global" @identifier)

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
(pair value: [(as_expression) (satisfies_expression)]) @binding

; Modules
(import_alias . "import" . (identifier) @import.alias)
