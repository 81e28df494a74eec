// The errors of TypeScript's checker in a folder, one line each: path, line and number of the error.
//
// node type_errors.cjs ROOT
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
const program = ts.createProgram(files, options)
for (const error of ts.getPreEmitDiagnostics(program)) {
  if (!error.file || path.relative(root, error.file.fileName).startsWith("..")) continue
  const { line } = error.file.getLineAndCharacterOfPosition(error.start)
  console.log(`${path.relative(root, error.file.fileName)}:${line + 1} TS${error.code}`)
}
