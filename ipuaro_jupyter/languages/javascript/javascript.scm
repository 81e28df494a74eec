; What only the JavaScript grammar has.

(class_heritage (_) @extends)
(field_definition) @property
