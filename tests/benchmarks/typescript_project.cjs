// The sources of TypeScript below the folder that a script gets as its first argument, as one project.
//
// {ts, root, files, options}: the compiler, the folder, its sources without those in node_modules, and
// options that are the same whatever the package sets. Conditions of the package's own ("@name/source")
// count, the paths in a tsconfig.json at the root, and the types of React.
// served(): {service, program}, the language service and what it has read.
// declaredOnce(program): {exported, members}, the exported symbols and the members of classes,
// interfaces and type aliases whose name is declared once (namespaces, members of enums and objects are
// declarations too). An entry is {name, file, at}; a member has a kind: method, property, accessor,
// interface member, alias member (of the object types that an alias is made of), or parameter, a property
// that a constructor declares as its parameter.
// drawn(entries, count, seed): some of them at random; all, in the same order, when the count is 0.
"use strict"
const fs = require("fs")
const path = require("path")
const ts = require("typescript")

const root = fs.realpathSync(process.argv[2])
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
  const react = path.join(path.dirname(require.resolve("typescript/package.json")), "../@types/react")
  const added = { react: [path.join(react, "index.d.ts")], "react/*": [path.join(react, "*.d.ts")] }
  return { customConditions, paths: { ...added, ...paths }, ...(paths ? { baseUrl: path.join(root, baseUrl || ".") } : {}) }
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

function served() {
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
  return { service, program: service.getProgram() }
}

function memberKind(node) {
  if (ts.isMethodDeclaration(node)) return "method"
  if (ts.isPropertyDeclaration(node)) return "property"
  if (ts.isGetAccessor(node)) return "accessor"
  if (ts.isMethodSignature(node) || ts.isPropertySignature(node)) return "interface member"
  if (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent)) return "parameter"
  return undefined
}

function isOfAlias(node) {
  const isPart = ts.isTypeLiteralNode(node) || ts.isIntersectionTypeNode(node) || ts.isUnionTypeNode(node) || ts.isParenthesizedTypeNode(node)
  return isPart ? isOfAlias(node.parent) : ts.isTypeAliasDeclaration(node)
}

function drawn(entries, count, seed) {
  let state = seed >>> 0
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const keyed = entries.map((entry) => [random(), entry])
  return keyed.sort((a, b) => a[0] - b[0]).slice(0, count || keyed.length).map(([, entry]) => entry)
}

function declaredOnce(program) {
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
    const kind = memberKind(node)
    const isMember = kind !== undefined
    const named = ts.isVariableDeclaration(node) ? node.parent.parent : node
    const isTop = named.parent === file
    if (name && (isDeclaration || isMember)) {
      declared.set(name.text, (declared.get(name.text) || 0) + 1)
      const isExported = ts.canHaveModifiers(named) &&
        (ts.getModifiers(named) || []).some((m) => m.kind === ts.SyntaxKind.ExportKeyword)
      const entry = { name: name.text, file, at: name.getStart(file) }
      if (isDeclaration && isTop && isExported) exported.push(entry)
      else if (isMember && holder) {
        const ofAlias = kind === "interface member" && ts.isTypeLiteralNode(node.parent)
        members.push({ ...entry, kind: ofAlias ? "alias member" : kind, name: `${holder}.${name.text}` })
      }
    }
    const holds = (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && isTop && name
    const passes = ts.isConstructorDeclaration(node) || (isOfAlias(node) && !ts.isTypeAliasDeclaration(node))
    const inside = holds ? name.text : passes ? holder : undefined
    ts.forEachChild(node, (child) => visit(child, file, inside))
  }

  for (const file of program.getSourceFiles()) {
    if (files.includes(file.fileName)) visit(file, file, undefined)
  }
  const isOnce = (entry) => declared.get(entry.name.split(".").pop()) === 1
  return { exported: exported.filter(isOnce), members: members.filter(isOnce) }
}

module.exports = { ts, root, files, options, served, declaredOnce, drawn }
