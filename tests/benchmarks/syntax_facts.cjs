// The facts of JavaScript and TypeScript files as the TypeScript compiler's syntax tree has them.
//
//   node syntax_facts.cjs ROOT < paths.txt > facts.jsonl
//
// One path a line in, relative to ROOT; one object a line out: `path`, `errors` (how many syntax
// errors the compiler finds) and, by kind, lists of rows. compare_facts.py says what a row holds.
// Only the parser is used: no checker, no other file. NODE_PATH names a folder with `typescript`.
"use strict"

const fs = require("node:fs")
const path = require("node:path")
const ts = require("typescript")

const K = ts.SyntaxKind
const NO_WRAPPERS = new Set(
  ("setTimeout setInterval setImmediate requestAnimationFrame requestIdleCallback queueMicrotask " +
    "useMemo useState useReducer useRef useSelector useEffect useLayoutEffect useQuery useMutation " +
    "describe it test expect computed watch watchEffect effect signal require performance process " +
    "Promise Array Object JSON Math Symbol String Number Boolean BigInt Reflect $ jQuery cy vi jest"
  ).split(" "),
)
const LOOPS = new Set([
  K.ForStatement, K.ForInStatement, K.ForOfStatement, K.WhileStatement, K.DoStatement,
])
const LOGICAL = new Set([
  K.AmpersandAmpersandToken, K.BarBarToken, K.QuestionQuestionToken,
])
// Values whose insides belong to the name of the variable, assignment or property they are given to.
const FUNCTIONS = new Set([K.ArrowFunction, K.FunctionExpression])
const CASTS = new Set([K.AsExpression, K.SatisfiesExpression])
const VALUES_OF_VARIABLES = new Set([
  ...FUNCTIONS, ...CASTS, K.ClassExpression, K.ObjectLiteralExpression, K.CallExpression,
  K.AwaitExpression, K.PropertyAccessExpression, K.ParenthesizedExpression, K.NonNullExpression,
  K.TypeAssertionExpression,
])
const VALUES_OF_ASSIGNMENTS = new Set([
  ...FUNCTIONS, ...CASTS, K.ClassExpression, K.ObjectLiteralExpression, K.ParenthesizedExpression,
])
const VALUES_OF_PROPERTIES = new Set([
  ...FUNCTIONS, ...CASTS, K.ClassExpression, K.ObjectLiteralExpression,
])
const TRANSPARENT = new Set([
  ...CASTS, K.ParenthesizedExpression, K.AwaitExpression, K.NonNullExpression,
  K.TypeAssertionExpression,
])

class Reader {
  constructor(name, text) {
    const kind = /\.[mc]?ts$/i.test(name) ? ts.ScriptKind.TS
      : /\.tsx$/i.test(name) ? ts.ScriptKind.TSX : ts.ScriptKind.JSX
    this.text = text
    this.file = ts.createSourceFile(
      name, text,
      { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
      false, kind,
    )
    this.rows = Object.fromEntries(
      ("imports exports functions signatures classes methods properties interfaces fields types " +
        "enums namespaces variables definitions complexity").split(" ").map((kind) => [kind, []]),
    )
    this.identifiers = new Map()
    this.records = [] // [kind, record]: rows are made when it is known what is exported
    this.tops = new Map()
    this.marked = []
    this.exportedValues = []
    this.exported = new Set()
    this.places = new Set()
    this.decorated = new Set()
    this.requires = new Map()
    this.decisions = 0
    this.deepest = 0
  }

  // Places and texts

  line(position) {
    return this.file.getLineAndCharacterOfPosition(position).line + 1
  }
  start(node) {
    return node.getStart(this.file)
  }
  first(node) {
    return this.line(this.start(node))
  }
  last(node) {
    return this.line(node.end)
  }
  raw(node) {
    return this.text.slice(this.start(node), node.end)
  }
  flat(node) {
    return this.raw(node).split(/\s+/).filter(Boolean).join(" ")
  }
  name(node) {
    if (ts.isComputedPropertyName(node) && ts.isStringLiteralLike(node.expression)) node = node.expression
    const text = this.raw(node)
    return ts.isStringLiteralLike(node) ? text.slice(1, -1) : text.split(/\s+/).join(" ")
  }
  type(node) {
    return node ? this.flat(node) : null
  }

  // The records

  declare(kind, record, context, nameNode) {
    this.records.push([kind, record])
    if (context.level === 0) this.remember(record)
    if (nameNode) this.place(record.qualified, nameNode)
    return record
  }
  remember(record) {
    if (!this.tops.has(record.qualified)) this.tops.set(record.qualified, [])
    this.tops.get(record.qualified).push(record)
  }
  place(qualified, node) {
    this.places.add(JSON.stringify([qualified, this.first(node)]))
  }
  export(name, line, local = null, source = null) {
    const key = JSON.stringify([name, local, source])
    if (!this.exported.has(key)) {
      this.exported.add(key)
      this.rows.exports.push([name, line, local, source])
    }
    if (source === null && local !== null) this.marked.push(local)
  }
  import(source, line, kind, names = []) {
    this.rows.imports.push([source, line, kind, names])
  }

  read() {
    const context = {
      path: "", this: "", level: 0, exported: false, top: true, depth: 0, base: 0,
      metrics: { cyclomatic: 1, nesting: 0 }, binding: null,
    }
    this.children(this.file, context)
    this.exportValues()
    for (const name of this.marked) for (const r of this.tops.get(name) ?? []) r.exported = true
    for (const [kind, record] of this.records) this.row(kind, record)
    this.rows.definitions = [...this.places].map((text) => JSON.parse(text))
    return this
  }
  row(kind, r) {
    const { rows } = this
    const lines = [r.first, r.last]
    if (kind === "functions" || kind === "methods") {
      rows[kind].push([r.qualified, r.kind, ...lines, r.async, r.generator, r.static, r.abstract,
        r.body, r.exported])
      rows.signatures.push([r.qualified, r.first, r.params, r.returns])
      rows.complexity.push([r.qualified, r.first, r.metrics.cyclomatic, r.metrics.nesting])
    } else if (kind === "classes") {
      rows.classes.push([r.qualified, ...lines, r.extends, r.implements, r.abstract, r.exported])
    } else if (kind === "interfaces") {
      rows.interfaces.push([r.qualified, ...lines, r.extends, r.exported])
    } else if (kind === "types") {
      rows.types.push([r.qualified, ...lines, r.text, r.exported])
    } else if (kind === "enums") {
      rows.enums.push([r.qualified, ...lines, r.members, r.exported])
    } else if (kind === "namespaces") {
      rows.namespaces.push([r.qualified, r.name, ...lines, r.exported])
    } else if (kind === "variables") {
      rows.variables.push([r.qualified, r.kind, ...lines, r.exported])
    } else {
      rows[kind].push([r.qualified, ...lines, r.type, r.static, r.readonly, r.function])
    }
  }

  // The walk

  children(node, context) {
    ts.forEachChild(node, (child) => this.visit(child, context))
  }

  visit(node, context) {
    const read = this[READERS[node.kind]]
    if (read) return read.call(this, node, context)
    this.children(node, { ...context, exported: false, top: false })
  }

  Identifier(node) {
    this.count(node)
  }
  PrivateIdentifier(node) {
    this.count(node)
  }
  count(node) {
    const text = this.raw(node)
    if (text && text !== "this") this.identifiers.set(text, (this.identifiers.get(text) ?? 0) + 1)
  }
  TypeReference(node, context) {
    // `as const` is no name
    if (ts.isIdentifier(node.typeName) && this.raw(node) === "const") return
    this.children(node, context)
  }

  // Control flow

  decide(context) {
    this.decisions++
    context.metrics.cyclomatic++
  }
  deeper(context) {
    const depth = context.depth + 1
    this.deepest = Math.max(this.deepest, depth)
    context.metrics.nesting = Math.max(context.metrics.nesting, depth - context.base)
    return { ...context, depth, exported: false, top: false }
  }
  IfStatement(node, context, chained = false) {
    this.decide(context)
    const inside = chained ? { ...context, exported: false, top: false } : this.deeper(context)
    this.visit(node.expression, inside)
    this.visit(node.thenStatement, inside)
    if (node.elseStatement && ts.isIfStatement(node.elseStatement)) {
      this.IfStatement(node.elseStatement, inside, true)
    } else if (node.elseStatement) this.visit(node.elseStatement, inside)
  }
  loop(node, context) {
    this.decide(context)
    this.children(node, this.deeper(context))
  }
  block(node, context) {
    this.children(node, this.deeper(context))
  }
  decision(node, context) {
    this.decide(context)
    this.children(node, { ...context, exported: false, top: false })
  }

  // Functions

  modifiers(node) {
    return new Set((ts.canHaveModifiers(node) ? ts.getModifiers(node) ?? [] : []).map((m) => m.kind))
  }

  params(node) {
    const rows = []
    for (const p of node.parameters) {
      const name = this.flat(p.name)
      if (name === "this") continue
      rows.push([name, this.type(p.type), Boolean(p.questionToken || p.initializer),
        Boolean(p.dotDotDotToken)])
    }
    return rows
  }

  function(node, kind, qualified, [first, last], exported = false) {
    const modifiers = this.modifiers(node)
    return {
      qualified, kind, first, last,
      async: modifiers.has(K.AsyncKeyword), generator: Boolean(node.asteriskToken),
      static: modifiers.has(K.StaticKeyword), abstract: modifiers.has(K.AbstractKeyword),
      body: Boolean(node.body), exported,
      params: this.params(node), returns: this.type(node.type),
      metrics: { cyclomatic: 1, nesting: 0 },
    }
  }

  inFunction(node, context, record, { path: qualified, this: self } = {}) {
    this.children(node, {
      ...context, path: qualified ?? context.path, this: self ?? context.this,
      level: context.level + 1, base: context.depth, exported: false, top: false, binding: null,
      metrics: record ? record.metrics : { cyclomatic: 1, nesting: 0 },
    })
  }

  range(node) {
    return [this.first(node), this.last(node)]
  }

  FunctionDeclaration(node, context) {
    const { qualified, exported } = this.declaration(node, context)
    const record = this.function(node, "function", qualified, this.range(node), exported)
    this.declare("functions", record, context, node.name)
    this.inFunction(node, context, record, { path: qualified, this: qualified })
  }

  // Name a declaration, and export it: `export`, `export default`.
  declaration(node, context) {
    const modifiers = this.modifiers(node)
    const exported = modifiers.has(K.ExportKeyword)
    const name = node.name ? this.name(node.name) : "default"
    const qualified = join(context.path, name)
    if (exported && context.level === 0 && !context.path) {
      const isDefault = modifiers.has(K.DefaultKeyword)
      this.export(isDefault ? "default" : name, this.first(node), node.name ? name : null)
    }
    return { name, qualified, exported }
  }

  FunctionExpression(node, context) {
    this.value(node, context, "function")
  }
  ArrowFunction(node, context) {
    this.value(node, context, "arrow")
  }
  value(node, context, kind) {
    const named = this.nameValue(node, context)
    if (!named) return this.inFunction(node, context, null)
    const { bound } = named
    const record = this.function(node, kind, named.qualified, named.lines)
    const self = kind === "function" ? named.qualified : undefined
    if (bound?.property) {
      record.static = bound.property.static
      bound.property.function = [record.qualified, record.kind, record.async, record.generator,
        record.params, record.returns]
      this.rows.complexity.push([record.qualified, record.first, 0, 0])
      const row = this.rows.complexity.at(-1)
      this.inFunction(node, context, record, { path: named.qualified, this: self })
      row[2] = record.metrics.cyclomatic
      row[3] = record.metrics.nesting
      return
    }
    record.exported = Boolean(bound?.exported)
    this.declare("functions", record, context, named.at)
    this.inFunction(node, context, record, { path: named.qualified, this: self })
  }

  // Name a function or class that is a value: by what it is bound to, or by its own name.
  nameValue(node, context) {
    const own = node.name
    const bound = context.binding?.target === node && !context.binding.claimed ? context.binding : null
    if (!bound) {
      if (!own) return null
      const qualified = join(context.path, this.name(own))
      return { qualified, lines: this.range(node), bound, at: own }
    }
    let { qualified, at } = bound
    if (own && (bound.name === "" || bound.name === "default")) {
      qualified = join(bound.outer, this.name(own))
      at = own
    } else if (!bound.name) qualified = bound.qualified || "default"
    bound.claimed = true
    bound.given = qualified
    return { qualified, lines: bound.lines, bound, at }
  }

  method(node, context) {
    const name = node.kind === K.Constructor ? "constructor" : this.name(node.name)
    // the word names the constructor, for references too
    if (node.kind === K.Constructor) this.identifiers.set(name, (this.identifiers.get(name) ?? 0) + 1)
    const qualified = join(context.path, name)
    const kind = { [K.GetAccessor]: "getter", [K.SetAccessor]: "setter" }[node.kind] ?? "method"
    const record = this.function(node, kind, qualified, this.range(node))
    this.decorators(node, context)
    if (context.holder) {
      if (node.kind === K.Constructor) record.kind = "constructor"
      this.records.push(["methods", record])
      // the word stands first in a constructor, modifiers aside
      if (node.name) this.place(qualified, node.name)
      else this.places.add(JSON.stringify([qualified, this.constructorLine(node)]))
      for (const parameter of node.kind === K.Constructor ? node.parameters : []) {
        this.parameterProperty(parameter, context.path)
      }
    } else this.declare("functions", record, context, node.name ?? node)
    this.inFunction(node, { ...context, holder: null }, record, { path: qualified })
  }
  constructorLine(node) {
    const after = node.modifiers?.end ?? this.start(node)
    return this.line(after + /\s*/.exec(this.text.slice(after))[0].length)
  }
  parameterProperty(parameter, owner) {
    const modifiers = this.modifiers(parameter)
    if (!modifiers.size) return
    const qualified = `${owner}.${this.name(parameter.name)}`
    this.records.push(["properties", {
      qualified, first: this.first(parameter), last: this.last(parameter),
      type: this.type(parameter.type), static: false, readonly: modifiers.has(K.ReadonlyKeyword),
      function: null,
    }])
    this.place(qualified, parameter.name)
  }

  // Decorators belong to what is around; those of declarations and members are read before them.
  decorators(node, context) {
    for (const one of ts.getDecorators(node) ?? []) this.Decorator(one, context)
  }
  Decorator(node, context) {
    if (this.decorated.has(node)) return
    this.decorated.add(node)
    this.children(node, { ...context, binding: null, holder: null, exported: false, top: false })
  }

  // Classes

  ClassDeclaration(node, context) {
    const { qualified, exported } = this.declaration(node, context)
    this.decorators(node, context)
    this.class(node, context, qualified, this.range(node), exported, node.name)
  }
  ClassExpression(node, context) {
    const named = this.nameValue(node, context)
    this.decorators(node, context)
    if (named) {
      const exported = Boolean(named.bound?.exported)
      return this.class(node, context, named.qualified, named.lines, exported, named.at)
    }
    this.classParts(node, { ...context, binding: null, exported: false, top: false }, null)
  }
  class(node, context, qualified, [first, last], exported, at) {
    const heritage = (token) =>
      (node.heritageClauses ?? []).filter((c) => c.token === token).flatMap((c) => [...c.types])
    const extended = heritage(K.ExtendsKeyword)
    const record = {
      qualified, first, last, exported,
      extends: extended.length ? this.flat(extended[0]) : null,
      implements: heritage(K.ImplementsKeyword).map((type) => this.flat(type)),
      abstract: this.modifiers(node).has(K.AbstractKeyword),
    }
    this.declare("classes", record, context, at)
    this.classParts(node, {
      ...context, path: qualified, this: qualified, binding: null, exported: false, top: false,
    }, record)
  }
  classParts(node, context, record) {
    const members = new Set(node.members)
    ts.forEachChild(node, (child) => {
      if (!members.has(child)) return this.visit(child, context)
      if (ts.isPropertyDeclaration(child)) return this.PropertyMember(child, context, record)
      if (ts.isClassStaticBlockDeclaration(child)) return this.children(child, context)
      this.visit(child, { ...context, holder: record })
    })
  }
  PropertyMember(node, context, record) {
    this.decorators(node, context)
    if (!record) return this.children(node, context)
    const modifiers = this.modifiers(node)
    const name = this.name(node.name)
    const property = {
      qualified: join(context.path, name), first: this.first(node), last: this.last(node),
      type: this.type(node.type), static: modifiers.has(K.StaticKeyword),
      readonly: modifiers.has(K.ReadonlyKeyword), function: null,
    }
    this.records.push(["properties", property])
    this.place(property.qualified, node.name)
    const binding = {
      name, qualified: property.qualified, outer: context.path, lines: this.range(node), property,
      at: null, target: node.initializer ? this.target(node.initializer) : null,
    }
    ts.forEachChild(node, (child) => {
      this.visit(child, { ...context, path: binding.qualified, binding })
    })
  }

  // Interfaces, types, enums, namespaces

  InterfaceDeclaration(node, context) {
    const { qualified, exported } = this.declaration(node, context)
    this.declare("interfaces", {
      qualified, exported, first: this.first(node), last: this.last(node),
      extends: (node.heritageClauses ?? []).flatMap((c) => [...c.types]).map((t) => this.flat(t)),
    }, context, node.name)
    const inside = { ...context, path: qualified, binding: null, exported: false, top: false }
    const members = new Set(node.members)
    ts.forEachChild(node, (child) => {
      if (members.has(child)) this.signature(child, inside)
      else this.visit(child, inside)
    })
  }
  signature(node, context) {
    const named = node.name && join(context.path, this.name(node.name))
    if (ts.isPropertySignature(node)) {
      this.records.push(["fields", {
        qualified: named, first: this.first(node), last: this.last(node),
        type: this.type(node.type), static: false,
        readonly: this.modifiers(node).has(K.ReadonlyKeyword), function: null,
      }])
      this.place(named, node.name)
    } else if (ts.isMethodSignature(node) || ts.isAccessor(node)) {
      const kind = { [K.GetAccessor]: "getter", [K.SetAccessor]: "setter" }[node.kind] ?? "method"
      this.records.push(["methods", this.function(node, kind, named, this.range(node))])
      this.place(named, node.name)
    }
    this.children(node, context)
  }
  TypeAliasDeclaration(node, context) {
    const { qualified, exported } = this.declaration(node, context)
    this.declare("types", {
      qualified, exported, first: this.first(node), last: this.last(node), text: this.raw(node.type),
    }, context, node.name)
    this.children(node, context)
  }
  EnumDeclaration(node, context) {
    const { qualified, exported } = this.declaration(node, context)
    const members = node.members.map((member) => this.name(member.name))
    this.declare("enums", {
      qualified, exported, first: this.first(node), last: this.last(node), members,
    }, context, node.name)
    for (const member of node.members) {
      this.place(`${qualified}.${this.name(member.name)}`, member.name)
    }
    this.children(node, { ...context, path: qualified, binding: null, exported: false, top: false })
  }
  ModuleDeclaration(node, context) {
    const around = { ...context, binding: null, exported: false, top: true }
    if (node.flags & ts.NodeFlags.GlobalAugmentation) return this.children(node, around)
    const { name: outermost, exported } = this.declaration(node, context)
    const names = [outermost]
    let inner = node
    this.visit(node.name, around)
    while (inner.body && ts.isModuleDeclaration(inner.body)) {
      inner = inner.body
      names.push(this.name(inner.name))
      this.visit(inner.name, around)
    }
    const qualified = join(context.path, names.join("."))
    this.declare("namespaces", {
      qualified, name: names.at(-1), exported, first: this.first(node), last: this.last(node),
    }, context, inner.name)
    if (exported && context.level === 0 && !context.path && names.length > 1) {
      this.rows.exports.at(-1)[2] = qualified
    }
    if (inner.body) this.children(inner.body, { ...around, path: qualified })
  }
  ModuleBlock(node, context) {
    this.children(node, context)
  }

  // Variables, assignments and pairs

  VariableStatement(node, context) {
    const { declarations, flags } = node.declarationList
    const exported = this.modifiers(node).has(K.ExportKeyword)
    const isConstant = Boolean(flags & ts.NodeFlags.Const) // also set for `using`
    const lines = declarations.length === 1 && context.top ? this.range(node) : null
    for (const declaration of declarations) {
      const binding = this.binding(
        declaration, declaration.name, declaration.initializer, VALUES_OF_VARIABLES, context,
      )
      if (binding && context.top) {
        binding.exported = exported
        binding.lines = lines ?? binding.lines
      }
      const inside = { ...context, exported: false, top: false }
      const names = context.top ? this.boundNames(declaration.name) : []
      const required = this.loadedBy(declaration)
      this.children(declaration, binding ? { ...inside, path: binding.qualified, binding } : inside)
      const isClaimed = binding?.claimed || required
      for (const [name, leaf] of names) {
        const record = {
          qualified: join(context.path, name), kind: isConstant ? "const" : "variable", exported,
          first: lines?.[0] ?? this.first(declaration), last: lines?.[1] ?? this.last(declaration),
        }
        this.place(record.qualified, leaf)
        if (context.level === 0) this.remember(record)
        if (exported && !context.path) this.export(name, record.first, name)
        if (!isClaimed) this.records.push(["variables", record])
      }
    }
  }
  VariableDeclaration(node, context) {
    const inside = { ...context, exported: false, top: false }
    const binding = this.binding(node, node.name, node.initializer, VALUES_OF_VARIABLES, context)
    this.children(node, binding ? { ...inside, path: binding.qualified, binding } : inside)
  }
  boundNames(pattern) {
    if (ts.isIdentifier(pattern)) return [[this.raw(pattern), pattern]]
    return pattern.elements.flatMap((e) => (ts.isOmittedExpression(e) ? [] : this.boundNames(e.name)))
  }

  // What gives a name to its value; null for what does not.
  binding(node, name, value, kinds, context) {
    if (!value || !ts.isIdentifier(name)) return null
    const chained = isAssignment(value) && ts.isVariableDeclaration(node)
    if (!kinds.has(value.kind) && !chained) return null
    const text = this.name(name)
    return {
      name: text, qualified: join(context.path, text), outer: context.path, at: name,
      lines: this.range(node), target: this.target(value), exported: false,
    }
  }
  unwrapped(value) {
    while (TRANSPARENT.has(value.kind)) value = value.expression
    return value
  }
  // What a binding names: its value, or the function that a call wraps.
  target(value) {
    for (let depth = 0; depth < 8; depth++) {
      value = this.unwrapped(value)
      if (!ts.isCallExpression(value)) break
      const { expression: callee, arguments: given } = value
      if (!given.length) return null
      let name
      if (ts.isPropertyAccessExpression(callee)) {
        name = this.raw(callee.expression)
        if (!/^(\p{Lu}|_$)/u.test(name)) return null
      } else if (ts.isIdentifier(callee)) name = this.raw(callee)
      else return null
      if (NO_WRAPPERS.has(name)) return null
      value = given[0]
    }
    return value
  }

  BinaryExpression(node, context) {
    const inside = { ...context, exported: false, top: false }
    if (LOGICAL.has(node.operatorToken.kind)) this.decide(context)
    if (!isAssignment(node)) return this.children(node, inside)
    const binding = this.assignment(node, context)
    this.children(node, binding ? { ...inside, path: binding.qualified, binding } : inside)
  }
  assignment(node, context) {
    const { left, right } = node
    const exportedName = exportedBy(this.raw(left).split(/\s+/).join(""))
    const wraps = ts.isCallExpression(right) && right.arguments.length &&
      FUNCTIONS.has(right.arguments[0].kind)
    if (exportedName === null && !VALUES_OF_ASSIGNMENTS.has(right.kind) && !wraps) return null
    if (exportedName === null && ts.isIdentifier(left)) {
      return this.binding(node, left, right, new Set([right.kind]), context)
    }
    if (exportedName === null && !ts.isPropertyAccessExpression(left)) return null
    const binding = {
      outer: context.path, lines: this.range(node), target: this.target(right), exported: false,
      at: left.name ?? left.argumentExpression,
    }
    let parts
    if (exportedName !== null) {
      binding.exported = true
      this.exportedValues.push({ binding, name: exportedName, value: right })
      parts = exportedName ? [exportedName] : []
      if (!exportedName && context.binding?.target === node) { // const app = module.exports = …
        binding.outer = context.binding.outer
        parts = [context.binding.name]
      }
    } else {
      const text = this.raw(left).split(/\s+/).join("")
      parts = /[([?]/.test(text) ? [this.raw(left.name)]
        : text.split(".").filter((part) => part !== "prototype")
      if (parts[0] === "this") {
        binding.outer = context.this
        parts = parts.slice(1)
      }
    }
    binding.name = parts.at(-1) ?? ""
    binding.qualified = [binding.outer, ...parts].filter(Boolean).join(".")
    return binding
  }

  PropertyAssignment(node, context) {
    const { initializer: value } = node
    const inside = { ...context, exported: false, top: false, binding: null }
    const wraps = ts.isCallExpression(value) && value.arguments.length &&
      FUNCTIONS.has(value.arguments[0].kind)
    if (!VALUES_OF_PROPERTIES.has(value.kind) && !wraps) {
      return this.children(node, { ...inside, binding: context.binding })
    }
    const name = this.name(node.name)
    const qualified = join(context.path, name)
    const binding = {
      name, qualified, outer: context.path, at: node.name, lines: this.range(node),
      target: this.target(value), exported: false,
    }
    this.children(node, { ...inside, path: qualified, binding })
  }

  // Modules

  ImportDeclaration(node, context) {
    const clause = node.importClause
    const names = []
    if (clause?.name) names.push(["default", this.raw(clause.name)])
    const bindings = clause?.namedBindings
    if (bindings && ts.isNamespaceImport(bindings)) names.push(["*", this.raw(bindings.name)])
    else for (const one of bindings?.elements ?? []) {
      names.push([this.name(one.propertyName ?? one.name), this.raw(one.name)])
    }
    const isType = clause?.isTypeOnly || clause?.phaseModifier === K.TypeKeyword
    const kind = isType ? "type" : names.length ? "import" : "side-effect"
    this.import(this.name(node.moduleSpecifier), this.first(node), kind, names)
    this.children(node, context)
  }
  ImportEqualsDeclaration(node, context) {
    const name = this.raw(node.name)
    const exported = this.modifiers(node).has(K.ExportKeyword)
    if (ts.isExternalModuleReference(node.moduleReference)) {
      const kind = node.isTypeOnly ? "type" : "import-equals"
      const source = this.name(node.moduleReference.expression)
      this.import(source, this.first(node), kind, [["*", name]])
      if (exported && !context.path) this.export(name, this.first(node), name)
    } else {
      const line = this.first(node.name)
      const record = {
        qualified: join(context.path, name), kind: "const", exported, first: line, last: line,
      }
      this.declare("variables", record, context, node.name)
      if (exported && !context.path) this.export(name, line, name)
    }
    this.children(node, context)
  }
  ExportDeclaration(node, context) {
    const line = this.first(node)
    const source = node.moduleSpecifier ? this.name(node.moduleSpecifier) : null
    const clause = node.exportClause
    const names = []
    if (clause && ts.isNamedExports(clause)) {
      for (const one of clause.elements) {
        names.push([this.name(one.propertyName ?? one.name), this.name(one.name), this.first(one)])
      }
    } else names.push(["*", clause ? this.name(clause.name) : "*", line])
    if (context.path) for (const [local] of names) this.marked.push(`${context.path}.${local}`)
    else for (const [local, name, at] of names) this.listed(name, at, local, source)
    if (source !== null) {
      this.import(source, line, "re-export", context.path ? [] : names.map((row) => row.slice(0, 2)))
    }
    this.children(node, context)
  }
  listed(name, line, local, source) {
    this.rows.exports.push([name, line, local, source])
    if (source === null) this.marked.push(local)
  }
  ExportAssignment(node, context) {
    const binding = {
      name: "default", qualified: join(context.path, "default"), outer: context.path, at: null,
      lines: this.range(node), target: this.target(node.expression), exported: true,
    }
    if (!context.path && context.level === 0) {
      this.exportedValues.push({ binding, name: "default", value: node.expression })
    }
    this.children(node, { ...context, top: false, exported: false, path: binding.qualified, binding })
  }

  ImportType(node, context) {
    const literal = node.argument.literal
    if (literal && ts.isStringLiteralLike(literal)) {
      this.import(this.name(literal), this.first(literal), "type-query")
    }
    this.children(node, context)
  }
  CallExpression(node, context) {
    const { expression: callee, arguments: given } = node
    const isImport = callee.kind === K.ImportKeyword
    if ((isImport || (ts.isIdentifier(callee) && this.raw(callee) === "require")) && given.length &&
        ts.isStringLiteralLike(given[0])) {
      const kind = isImport ? "dynamic" : "require"
      const names = this.loads?.get(node) ?? []
      this.import(this.name(given[0]), this.first(given[0]), kind, names)
    }
    this.definedExport(node, context)
    this.copiedExports(node)
    this.children(node, { ...context, exported: false, top: false })
  }
  // Object.defineProperty(exports, "name", …)
  definedExport(node, context) {
    if (!/^Object\s*\.\s*defineProperty$/.test(this.raw(node.expression))) return
    const [object, key, how] = node.arguments
    if (!key || !ts.isStringLiteralLike(key) || exportedBy(this.raw(object) + ".x") !== "x") return
    const name = this.name(key)
    if (name === "__esModule") return
    const given = how && ts.isObjectLiteralExpression(how) ? this.definedValue(how) : null
    this.exportedValues.push({ name, value: given, call: node })
  }
  // __exportStar(require("x"), exports) and its like, which compilers write
  copiedExports(node) {
    const callee = node.expression
    const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
    if (!/^__(exportStar|export|reExport)$/.test(this.raw(name))) return
    for (const given of node.arguments) {
      const module = this.required(given)
      if (module !== null) this.export("*", this.first(node), "*", module)
    }
  }
  definedValue(object) {
    for (const property of object.properties) {
      const name = property.name && this.name(property.name)
      if (name === "value" && ts.isPropertyAssignment(property)) return property.initializer
      const getter = name === "get" &&
        (ts.isMethodDeclaration(property) ? property : property.initializer)
      if (getter?.body) {
        if (!ts.isBlock(getter.body)) return getter.body
        const [statement, more] = getter.body.statements
        return !more && statement && ts.isReturnStatement(statement) ? statement.expression : null
      }
    }
    return null
  }

  // What `const { a } = require("x")` and its like bind; remembered for when the call is met.
  loadedBy(declaration) {
    if (!declaration.initializer) return false
    let value = this.unwrapped(declaration.initializer)
    let member = null
    if (ts.isPropertyAccessExpression(value)) {
      member = this.raw(value.name)
      value = this.unwrapped(value.expression)
    }
    if (!ts.isCallExpression(value) || !value.arguments.length ||
        !ts.isStringLiteralLike(value.arguments[0])) return false
    const callee = value.expression
    if (callee.kind !== K.ImportKeyword && this.raw(callee) !== "require") return false
    let names = this.pairs(declaration.name)
    if (member !== null) names = names.filter(([key]) => key === "*").map(([, n]) => [member, n])
    for (const [key, local] of names) {
      if (key === "*" && callee.kind !== K.ImportKeyword) {
        this.requires.set(local, this.name(value.arguments[0]))
      }
    }
    this.loads ??= new Map()
    this.loads.set(value, names)
    return true
  }
  pairs(pattern) {
    if (ts.isIdentifier(pattern)) return [["*", this.raw(pattern)]]
    if (ts.isArrayBindingPattern(pattern)) return this.boundNames(pattern).map(([n]) => [n, n])
    return pattern.elements.flatMap((element) =>
      this.boundNames(element.name).map(([name]) => [
        element.dotDotDotToken ? "*"
          : this.name(element.propertyName ?? element.name), name]))
  }

  // What is only announced, as in `exports.a = void 0`, counts when nothing follows.
  exportValues() {
    const announced = []
    const defined = new Set()
    for (const one of this.exportedValues) {
      while (one.value) {
        one.value = this.unwrapped(one.value)
        if (!isAssignment(one.value)) break
        one.value = one.value.right
      }
      const isAnnounced = one.binding && one.name && /^(void 0|undefined)$/.test(this.raw(one.value))
      if (isAnnounced) announced.push(one)
      else {
        defined.add(one.name || "default")
        this.exportValue(one)
      }
    }
    for (const one of announced) if (!defined.has(one.name)) this.exportValue(one)
  }
  exportValue({ binding, name, value, call }) {
    const line = binding ? binding.lines[0] : this.first(call)
    const exported = name || "default"
    if (name !== "default" || call) {
      const module = value && ts.isPropertyAccessExpression(value) &&
        this.requires.get(this.raw(value.expression))
      if (module) return this.export(exported, line, this.raw(value.name), module)
    }
    if (call) {
      const local = value && ts.isIdentifier(value) && this.raw(value) !== "undefined"
      return this.export(name, line, local ? this.raw(value) : name)
    }
    if (ts.isIdentifier(value) && this.raw(value) !== "undefined") return this.export(exported, line, this.raw(value))
    if (binding.claimed) {
      return this.export(exported, line, binding.given === "default" ? null : binding.given)
    }
    const module = this.required(value)
    if (module !== null && name !== "default") return this.export(name || "*", line, "*", module)
    if (!name && ts.isObjectLiteralExpression(value)) return this.exportProperties(value)
    if (exported === "default") return this.export(exported, line)
    this.export(exported, line, name)
    this.declareExported(name, ...binding.lines, binding.at)
  }
  declareExported(name, first, last, at) {
    if (this.tops.has(name)) return
    const record = { qualified: name, kind: "variable", first, last, exported: true }
    this.records.push(["variables", record])
    this.remember(record)
    if (at) this.place(name, at)
  }
  exportProperties(object) {
    for (const property of object.properties) {
      const line = this.first(property)
      if (ts.isSpreadAssignment(property)) {
        const module = this.required(this.unwrapped(property.expression))
        if (module !== null) this.export("*", line, "*", module)
      } else if (ts.isShorthandPropertyAssignment(property)) {
        this.export(this.raw(property.name), line, this.raw(property.name))
      } else {
        const name = this.name(property.name)
        const given = property.initializer
        const module = given ? this.required(given) : null
        const local = given && ts.isIdentifier(given) ? this.raw(given) : name
        this.export(name, line, module === null ? local : "*", module)
      }
    }
  }
  required(value) {
    if (!ts.isCallExpression(value) || value.arguments.length !== 1) return null
    const callee = value.expression
    if (callee.kind !== K.ImportKeyword && this.raw(callee) !== "require") return null
    return ts.isStringLiteralLike(value.arguments[0]) ? this.name(value.arguments[0]) : null
  }
}

function join(outer, name) {
  return outer ? `${outer}.${name}` : name
}
function isAssignment(node) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken
}
// The name that an assignment to `text` exports, "" for the whole module, null for none.
function exportedBy(text) {
  const found = /^(?:module\.)?exports(?:\.([\p{ID_Start}$_][\p{ID_Continue}$]*)|\[(["'])(.*)\2\])$/u
    .exec(text)
  if (found) return (found[1] ?? found[3]) === "__esModule" ? null : found[1] ?? found[3]
  return text === "module.exports" ? "" : null
}

const READERS = {
  [K.CaseClause]: "decision",
  [K.CatchClause]: "decision",
  [K.ConditionalExpression]: "decision",
  [K.SwitchStatement]: "block",
  [K.TryStatement]: "block",
  [K.MethodDeclaration]: "method",
  [K.Constructor]: "method",
  [K.GetAccessor]: "method",
  [K.SetAccessor]: "method",
}
for (const kind of LOOPS) READERS[kind] = "loop"
for (const name of Object.getOwnPropertyNames(Reader.prototype)) {
  if (/^[A-Z]/.test(name) && name in K) READERS[K[name]] = name
}

function comments(reader) {
  const { file, text } = reader
  const found = new Map()
  const note = (pos, end) => void found.set(pos, end)
  const scan = (node) => {
    if (node.kind === K.JsxText) return
    const children = node.getChildren(file)
    if (children.length) return children.forEach(scan)
    const start = node.getStart(file)
    if (start > node.pos) {
      ts.forEachLeadingCommentRange(text, node.pos, note)
      ts.forEachTrailingCommentRange(text, node.pos, note)
    }
  }
  scan(file)
  const hashBang = /^#!.*/.exec(text)
  if (hashBang) found.set(0, hashBang[0].length)
  return [...found].sort((a, b) => a[0] - b[0])
}

function codeLines(text, ranges) {
  let kept = ""
  let at = 0
  for (const [start, end] of ranges) {
    if (start < at) continue
    kept += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, "")
    at = end
  }
  return (kept + text.slice(at)).split("\n").filter((line) => line.trim()).length
}

function facts(name, text) {
  const reader = new Reader(name, text).read()
  const ranges = comments(reader)
  return {
    path: name,
    errors: reader.file.parseDiagnostics.length,
    ...reader.rows,
    identifiers: [...reader.identifiers],
    comments: ranges.map(([start, end]) => [reader.line(start), reader.line(end)]),
    metrics: [[codeLines(text, ranges), reader.deepest, 1 + reader.decisions]],
  }
}

const root = process.argv[2]
for (const name of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(path.join(root, name), "utf8").replace(/^\ufeff/, "")
  process.stdout.write(JSON.stringify(facts(name, text)) + "\n")
}
