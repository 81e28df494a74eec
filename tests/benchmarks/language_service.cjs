// The uses of exported symbols and of members, as TypeScript's language service finds them.
//
// node language_service.cjs ROOT COUNT SEED: prints one JSON object per symbol, {kind, name, path, uses},
// where a use is [path, line, column, isName], both 1-based, the column in UTF-16 units. Only symbols
// whose name is declared once are taken: exported ones spread evenly over all of them, and members of
// each kind drawn at random, by SEED.
"use strict"
const path = require("path")
const { ts, root, served, declaredOnce, drawn } = require("./typescript_project.cjs")

const count = Number(process.argv[3])
const seed = Number(process.argv[4] || 0)
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
for (const kind of ["method", "property", "accessor", "interface member", "alias member"]) {
  const some = members.filter((entry) => entry.kind === kind || (kind === "property" && entry.kind === "parameter"))
  drawn(some, count, seed).forEach((entry) => report(kind, entry))
}
