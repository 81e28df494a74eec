// The places that TypeScript's language service renames, for exported symbols declared once.
//
// node rename_locations.cjs ROOT COUNT SEED [KIND [KNOWN]]: prints one JSON object per symbol,
// {name, path, line, places, others, of}. A place is [path, line, column], both 1-based, the column in UTF-16 units;
// others are those in strings and comments; of is how many symbols there are to draw from. COUNT symbols are drawn at
// random, by SEED; 0 takes all of them, in the same order. The first KNOWN of them are left out. With the KIND "members" they are members of exported classes and interfaces instead. The preferences are
// the service's own defaults: imports and re-exports are renamed, and no aliases are made. For members, what is
// destructured keeps its local name.
"use strict"
const fs = require("fs")
const path = require("path")
const ts = require("typescript")

const root = fs.realpathSync(process.argv[2])
const count = Number(process.argv[3])
const seed = Number(process.argv[4] || 0)
const ofMembers = process.argv[5] === "members"
const known = Number(process.argv[6] || 0)
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

const once = (ofMembers ? members : exported).filter((entry) => declared.get(entry.name.split(".").pop()) === 1)

function drawn(entries) {
  let state = seed >>> 0
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const keyed = entries.map((entry) => [random(), entry])
  return keyed.sort((a, b) => a[0] - b[0]).slice(0, count || keyed.length).map(([, entry]) => entry)
}

function report(entry) {
  const found = service.findRenameLocations(entry.file.fileName, entry.at, false, false, { providePrefixAndSuffixTextForRename: ofMembers }) || []
  const places = new Set()
  const others = new Set()
  for (const { fileName, textSpan } of found) {
    const source = program.getSourceFile(fileName)
    const { line, character } = source.getLineAndCharacterOfPosition(textSpan.start)
    const text = source.text.slice(textSpan.start, textSpan.start + textSpan.length)
    const where = path.relative(root, fileName)
    if (text !== entry.name.split(".").pop() || where.startsWith("..")) continue
    const inText = service.getSpanOfEnclosingComment(fileName, textSpan.start, false) || /["'`]/.test(source.text[textSpan.start - 1])
    ;(inText ? others : places).add(JSON.stringify([where, line + 1, character + 1]))
  }
  const { line } = entry.file.getLineAndCharacterOfPosition(entry.at)
  const parsed = (set) => [...set].map((place) => JSON.parse(place))
  console.log(JSON.stringify({ name: entry.name, path: path.relative(root, entry.file.fileName), line: line + 1, places: parsed(places), others: parsed(others), of: once.length }))
}

drawn(once).slice(known).forEach(report)
