// The places that TypeScript's language service renames, for exported symbols declared once.
//
// node rename_locations.cjs ROOT COUNT SEED [KIND [KNOWN [list]]]: prints one JSON object per symbol,
// {name, path, line, places, others, of}. A place is [path, line, column], both 1-based, the column in
// UTF-16 units; others are those in strings and comments; of is how many symbols there are to draw from.
// COUNT symbols are drawn at random, by SEED; 0 takes all of them, in the same order. The first KNOWN of
// them are left out. With the KIND "members" they are members of exported classes and interfaces
// instead. The preferences are the service's own defaults: imports and re-exports are renamed, and no
// aliases are made. For members, what is destructured keeps its local name. With "list" the service is
// not asked: there are no places.
"use strict"
const path = require("path")
const { root, served, declaredOnce, drawn } = require("./typescript_project.cjs")

const count = Number(process.argv[3])
const seed = Number(process.argv[4] || 0)
const ofMembers = process.argv[5] === "members"
const known = Number(process.argv[6] || 0)
const isListed = process.argv[7] === "list"
const { service, program } = served()
const { exported, members } = declaredOnce(program)
const once = ofMembers ? members.filter(({ kind }) => kind !== "parameter") : exported

function report(entry) {
  const found = isListed ? [] : service.findRenameLocations(entry.file.fileName, entry.at, false, false, { providePrefixAndSuffixTextForRename: ofMembers }) || []
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

drawn(once, count, seed).slice(known).forEach(report)
