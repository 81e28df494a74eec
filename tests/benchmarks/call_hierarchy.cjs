// Calls and implementations, as TypeScript's language service finds them.
//
// node call_hierarchy.cjs ROOT COUNT SEED: prints one JSON object per sampled declaration.
//   {kind: "callers", name, path, line, sites, related}: the calls of a function or method, each
//     [path, line, column], from provideCallHierarchyIncomingCalls. Accesses of properties that are
//     not called are left out; `related` are calls that resolve to another member of its family.
//   {kind: "callees", name, path, line, sites}: the calls in it of what the project declares, each
//     [path, line, column, [path, line] of each declaration], from the checker's symbols:
//     provideCallHierarchyOutgoingCalls leaves out properties that hold functions.
//   {kind: "implementations", …, classes, objects}: what getImplementationAtPosition gives for an
//     interface or class, followed over and over from each class and interface; objects apart.
//   {kind: "members", …, members}: the same of a method or property of one.
// Declarations are drawn at random by the seed; only those whose qualified name is alone in the
// project's file.
"use strict"
const path = require("path")
const { ts, root, files, served } = require("./typescript_project.cjs")

const count = Number(process.argv[3])
let state = Number(process.argv[4]) || 1
const { service, program } = served()
const checker = program.getTypeChecker()
const ours = new Set(files)

function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}

function drawn(list) {
  const left = [...list]
  const found = []
  while (left.length && found.length < count) found.push(...left.splice(Math.floor(random() * left.length), 1))
  return found
}

const functions = []
const types = []
const members = []

function visit(node, file, holder) {
  const name = node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)) ? node.name : undefined
  const at = name && name.getStart(file)
  const isTop = (ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent) === file
  const isBound = ts.isVariableDeclaration(node) && node.initializer &&
    (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer))
  if (name && isTop && (ts.isFunctionDeclaration(node) && node.body || isBound)) functions.push({ name: name.text, file, at })
  const isHolder = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
  if (name && isTop && isHolder) types.push({ name: name.text, file, at })
  if (name && holder && ts.isMethodDeclaration(node) && node.body) functions.push({ name: `${holder}.${name.text}`, file, at })
  const isMember = ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isPropertySignature(node)
  if (name && holder && isMember) members.push({ name: `${holder}.${name.text}`, file, at })
  ts.forEachChild(node, (child) => visit(child, file, isTop && isHolder && name ? name.text : undefined))
}

for (const file of program.getSourceFiles()) if (ours.has(file.fileName)) visit(file, file, undefined)

function place(fileName, start) {
  const { line, character } = program.getSourceFile(fileName).getLineAndCharacterOfPosition(start)
  return [path.relative(root, fileName), line + 1, character + 1]
}

function nodeAt(file, position) {
  let found = file
  for (let next = found; next; ) {
    found = next
    next = undefined
    ts.forEachChild(found, (child) => { if (child.getStart(file) <= position && position < child.end) next = next || child })
  }
  return found
}

function isCall(node) {
  let outer = node
  if (ts.isPropertyAccessExpression(outer.parent) && outer.parent.name === outer) outer = outer.parent
  while (ts.isParenthesizedExpression(outer.parent) || ts.isNonNullExpression(outer.parent) || ts.isAsExpression(outer.parent)) outer = outer.parent
  const parent = outer.parent
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression === outer
  if (ts.isTaggedTemplateExpression(parent)) return parent.tag === outer
  if (ts.isDecorator(parent)) return true
  if (ts.isJsxOpeningElement(parent) || ts.isJsxSelfClosingElement(parent)) return parent.tagName === outer
  const called = ts.isPropertyAccessExpression(parent) && parent.expression === outer && /^(call|apply)$/.test(parent.name.text)
  return called && ts.isCallExpression(parent.parent) && parent.parent.expression === parent
}

function meant(node) {
  let symbol = checker.getSymbolAtLocation(node)
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
  return symbol ? symbol.declarations || [] : []
}

function told(entry) {
  const [where, line] = place(entry.file.fileName, entry.at)
  return { name: entry.name, path: where, line }
}

function callers(entry) {
  const prepared = service.prepareCallHierarchy(entry.file.fileName, entry.at)
  const items = Array.isArray(prepared) ? prepared : prepared ? [prepared] : []
  const sites = new Map()
  const related = new Map()
  for (const item of items) {
    for (const call of service.provideCallHierarchyIncomingCalls(item.file, item.selectionSpan.start)) {
      for (const span of call.fromSpans) {
        const file = program.getSourceFile(call.from.file)
        const node = nodeAt(file, span.start)
        if (!ours.has(file.fileName) || !isCall(node)) continue
        const at = place(file.fileName, span.start)
        const exact = meant(node).some((d) => d.name && d.getSourceFile() === entry.file && d.name.getStart() === entry.at)
        ;(exact ? sites : related).set(String(at), at)
      }
    }
  }
  return { kind: "callers", ...told(entry), sites: [...sites.values()], related: [...related.values()] }
}

function outgoing(entry) {
  const sites = new Map()
  const file = entry.file
  const name = nodeAt(file, entry.at)
  const declared = ts.isVariableDeclaration(name.parent) ? name.parent.initializer : name.parent

  function add(node) {
    const last = ts.isPropertyAccessExpression(node) ? node.name : node
    if (!ts.isIdentifier(last) && !ts.isPrivateIdentifier(last)) return
    if (/^(call|apply)$/.test(last.text) && ts.isPropertyAccessExpression(node)) return add(node.expression)
    const targets = meant(last).filter((d) => ours.has(d.getSourceFile().fileName) && !ts.isParameter(d) && isNamed(d))
    const at = place(file.fileName, last.getStart(file))
    const told = targets.map((d) => place(d.getSourceFile().fileName, (ts.getNameOfDeclaration(d) || d).getStart()).slice(0, 2))
    if (told.length) sites.set(String(at), [...at, told])
  }

  function collect(node) {
    if (node !== declared && isNamedFunction(node)) return
    let called = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression : undefined
    if (ts.isTaggedTemplateExpression(node)) called = node.tag
    if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) called = node.tagName
    while (called && (ts.isParenthesizedExpression(called) || ts.isNonNullExpression(called) || ts.isAsExpression(called))) called = called.expression
    if (called) add(called)
    ts.forEachChild(node, collect)
  }

  ts.forEachChild(declared, collect)
  return { kind: "callees", ...told(entry), sites: [...sites.values()] }
}

// A declaration that an index of names has: not a local variable, nor a binding of a pattern.
function isNamed(node) {
  if (ts.isBindingElement(node)) return false
  if (!ts.isVariableDeclaration(node)) return true
  return node.parent.parent.parent.kind === ts.SyntaxKind.SourceFile || isNamedFunction(node.initializer)
}

function isNamedFunction(node) {
  if (!node) return false
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isClassLike(node)) return Boolean(node.name)
  const isExpression = ts.isArrowFunction(node) || ts.isFunctionExpression(node)
  return isExpression && (ts.isVariableDeclaration(node.parent) || Boolean(node.name))
}

function holderOf(node) {
  for (let at = node; at; at = at.parent) {
    if (ts.isClassLike(at) || ts.isInterfaceDeclaration(at)) return at
    if (ts.isObjectLiteralExpression(at) || ts.isFunctionLike(at)) return undefined
  }
}

function implementations(entry) {
  const found = new Map()
  const objects = new Map()
  const seen = new Set()
  const waiting = [[entry.file.fileName, entry.at]]
  while (waiting.length) {
    const [fileName, at] = waiting.pop()
    if (seen.has(`${fileName}:${at}`)) continue
    seen.add(`${fileName}:${at}`)
    for (const one of service.getImplementationAtPosition(fileName, at) || []) {
      if (!ours.has(one.fileName)) continue
      const file = program.getSourceFile(one.fileName)
      let node = nodeAt(file, one.textSpan.start)
      if (file.text[one.textSpan.start] === "(") continue // a function
      const isObject = file.text[one.textSpan.start] === "{"
      if (isObject) {
        const where = place(one.fileName, one.textSpan.start)
        objects.set(String(where), where)
        continue
      }
      let holder = holderOf(node)
      const isName = holder && holder.name && holder.name.getStart(file) === one.textSpan.start
      if (holder && !isName && holder.getStart(file) !== one.textSpan.start) holder = undefined
      if (!holder || !(ts.isClassLike(holder) || ts.isInterfaceDeclaration(holder))) continue
      const name = holder.name || (ts.isVariableDeclaration(holder.parent) ? holder.parent.name : undefined)
      const start = name ? name.getStart(file) : holder.getStart(file)
      const where = place(one.fileName, start)
      if (one.fileName === entry.file.fileName && start === entry.at) continue
      found.set(String(where), where)
      if (name) waiting.push([one.fileName, start])
    }
  }
  return { kind: "implementations", ...told(entry), classes: [...found.values()], objects: [...objects.values()] }
}

function memberImplementations(entry) {
  const found = new Map()
  for (const one of service.getImplementationAtPosition(entry.file.fileName, entry.at) || []) {
    if (!ours.has(one.fileName)) continue
    if (one.fileName === entry.file.fileName && one.textSpan.start === entry.at) continue
    const where = place(one.fileName, one.textSpan.start)
    found.set(String(where), where)
  }
  return { kind: "members", ...told(entry), members: [...found.values()] }
}

const seen = new Map()
for (const one of [...functions, ...types, ...members]) {
  const key = `${one.file.fileName}:${one.name}`
  seen.set(key, (seen.get(key) || new Set()).add(one.at))
}
const single = (list) => list.filter((one) => seen.get(`${one.file.fileName}:${one.name}`).size === 1)

for (const one of drawn(single(functions))) console.log(JSON.stringify(callers(one)))
for (const one of drawn(single(functions))) console.log(JSON.stringify(outgoing(one)))
const used = single(types)
for (const one of drawn(used)) console.log(JSON.stringify(implementations(one)))
for (const one of drawn(single(members))) console.log(JSON.stringify(memberImplementations(one)))
