// The errors of TypeScript's checker in a folder, one line each: path, line and number of the error.
//
// node type_errors.cjs ROOT
"use strict"
const path = require("path")
const { ts, root, files, options } = require("./typescript_project.cjs")

const program = ts.createProgram(files, options)
for (const error of ts.getPreEmitDiagnostics(program)) {
  if (!error.file || path.relative(root, error.file.fileName).startsWith("..")) continue
  const { line } = error.file.getLineAndCharacterOfPosition(error.start)
  console.log(`${path.relative(root, error.file.fileName)}:${line + 1} TS${error.code}`)
}
