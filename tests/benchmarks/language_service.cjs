// The uses of exported symbols and of members, as TypeScript's language service finds them.
//
// node language_service.cjs ROOT COUNT: prints one JSON object per symbol, {name, path, uses}, where
// a use is [path, line, column], both 1-based, the column in UTF-16 units. Only symbols whose name is
// declared once are taken (namespaces, members of enums and objects are declarations too), spread evenly over all of them.
// Conditions of the package's own ("@name/source") count, and the paths in a tsconfig.json at the root.
"use strict"
const fs = require("fs")
const path = require("path")
const ts = require("typescript")

const root = fs.realpathSync(process.argv[2])
const count = Number(process.argv[3])
const SOURCE = /\.(ts|tsx|mts|cts)$/

function listed(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listed(place)
    return SOURCE.test(entry.name) ? [place] : []
  })
}

function conditions(value) {
  if (value === null || typeof value !== "object") return []
  const own = Object.keys(value).filter((key) => key.startsWith("@"))
  return [...own, ...Object.values(value).flatMap(conditions)]
}

function configured() {
  const read = (name) => fs.existsSync(path.join(root, name)) ? ts.parseConfigFileTextToJson(name, fs.readFileSync(path.join(root, name), "utf8")).config || {} : {}
  const { baseUrl, paths } = read("tsconfig.json").compilerOptions || {}
  const customConditions = [...new Set(conditions(read("package.json").exports))]
  return { customConditions, ...(paths ? { paths, baseUrl: path.join(root, baseUrl || ".") } : {}) }
}

const files = listed(root).sort()
const options = {
  ...configured(),
  types: [],
  allowJs: false,
  jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  experimentalDecorators: true,
  strict: true,
}
const snapshots = new Map()
const host = {
  getScriptFileNames: () => files,
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => {
    if (!snapshots.has(name)) {
      const text = fs.existsSync(name) ? fs.readFileSync(name, "utf8") : undefined
      snapshots.set(name, text === undefined ? undefined : ts.ScriptSnapshot.fromString(text))
    }
    return snapshots.get(name)
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
}
const service = ts.createLanguageService(host, ts.createDocumentRegistry())
const program = service.getProgram()
const exported = []
const members = []
const declared = new Map()

function visit(node, file, holder) {
  const name = node.name && ts.isIdentifier(node.name) ? node.name : undefined
  const isDeclaration =
    ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ||
    ts.isEnumDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    (ts.isVariableDeclaration(node) && ts.isVariableStatement(node.parent.parent))
  const isFunction = node.initializer && (ts.isFunctionLike(node.initializer) || ts.isObjectLiteralExpression(node.initializer))
  const isOther = ts.isModuleDeclaration(node) || ts.isEnumMember(node) || (ts.isPropertyAssignment(node) && isFunction)
  if (name && isOther) declared.set(name.text, (declared.get(name.text) || 0) + 1)
  const isMember = ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) ||
    ts.isGetAccessor(node) || ts.isMethodSignature(node) || ts.isPropertySignature(node)
  const named = ts.isVariableDeclaration(node) ? node.parent.parent : node
  const isTop = named.parent === file
  if (name && (isDeclaration || isMember)) {
    declared.set(name.text, (declared.get(name.text) || 0) + 1)
    const isExported = ts.canHaveModifiers(named) &&
      (ts.getModifiers(named) || []).some((m) => m.kind === ts.SyntaxKind.ExportKeyword)
    const entry = { name: name.text, file, at: name.getStart(file) }
    if (isDeclaration && isTop && isExported) exported.push(entry)
    else if (isMember && holder) members.push({ ...entry, name: `${holder}.${name.text}` })
  }
  const holds = (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && isTop && name
  ts.forEachChild(node, (child) => visit(child, file, holds ? name.text : undefined))
}

for (const file of program.getSourceFiles()) {
  if (files.includes(file.fileName)) visit(file, file, undefined)
}

function spread(entries) {
  const once = entries.filter((entry) => declared.get(entry.name.split(".").pop()) === 1)
  const step = Math.max(1, Math.floor(once.length / count))
  return once.filter((_, index) => index % step === 0).slice(0, count)
}

function report(kind, entry) {
  const found = service.findReferences(entry.file.fileName, entry.at) || []
  const uses = new Set()
  for (const reference of found.flatMap((symbol) => symbol.references)) {
    const source = program.getSourceFile(reference.fileName)
    const inComment = service.getSpanOfEnclosingComment(reference.fileName, reference.textSpan.start, false)
    if (inComment) continue // {@link Name}
    const name = entry.name.split(".").pop()
    const { line, character } = source.getLineAndCharacterOfPosition(reference.textSpan.start)
    const text = source.text.slice(reference.textSpan.start, reference.textSpan.start + reference.textSpan.length)
    const isName = ts.isIdentifierText(text, ts.ScriptTarget.ESNext)
    const where = path.relative(root, reference.fileName)
    if (isName && !where.startsWith("..")) uses.add(JSON.stringify([where, line + 1, character + 1, text === name]))
  }
  const where = path.relative(root, entry.file.fileName)
  console.log(JSON.stringify({ kind, name: entry.name, path: where, uses: [...uses].map((use) => JSON.parse(use)) }))
}

spread(exported).forEach((entry) => report("exported", entry))
spread(members).forEach((entry) => report("members", entry))
