// The uses of exported symbols and of members, as TypeScript's language service finds them.
//
// node language_service.cjs ROOT COUNT: prints one JSON object per symbol, {name, path, uses}, where
// a use is [path, line, column], both 1-based, the column in UTF-16 units. Only symbols whose name is
// declared once are taken, spread evenly over all of them.
"use strict"
const path = require("path")
const { ts, root, served, declaredOnce } = require("./typescript_project.cjs")

const count = Number(process.argv[3])
const { service, program } = served()
const { exported, members } = declaredOnce(program)

function spread(once) {
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
