; What only the JavaScript grammar has.

(class_heritage (_) @extends)
(field_definition) @property
(undefined) @identifier
[(import_specifier "default" @identifier) (export_specifier "default" @identifier)]
(namespace_export "default" @identifier)
