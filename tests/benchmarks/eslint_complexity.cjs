// The complexity that ESLint's rule finds for each function, and what it counts that we do not.
//
//   node eslint_complexity.cjs ROOT < paths.txt > complexity.jsonl
//
// One path a line in, relative to ROOT; one object a line out: `path`, `error` and `functions`:
// [start, end, kind, ESLint's complexity, defaults, optional chains, logical assignments]. Places
// are in UTF-16 units; `kind` is that of the node: class fields and static blocks count as functions
// of their own. The last three are in the function itself, not in those inside. NODE_PATH names a
// folder with `eslint` and `@typescript-eslint/parser`.
"use strict"

const fs = require("node:fs")
const path = require("node:path")
const { Linter } = require("eslint")
const parser = require("@typescript-eslint/parser")

const EXTRA = { AssignmentPattern: 0, MemberExpression: 1, CallExpression: 1, AssignmentExpression: 2 }

let extras // by the range of a code path, inner ones first: [defaults, optional chains, logical assignments]
const counting = {
  create() {
    const open = []
    const add = (node) => {
      const isCounted = node.type === "AssignmentPattern" || node.optional === true ||
        ["&&=", "||=", "??="].includes(node.operator)
      if (isCounted) open.at(-1)[EXTRA[node.type]]++
    }
    return {
      onCodePathStart: () => void open.push([0, 0, 0]),
      onCodePathEnd(_, node) {
        const key = node.range.join()
        if (!extras.has(key)) extras.set(key, [])
        extras.get(key).push(open.pop())
      },
      ...Object.fromEntries(Object.keys(EXTRA).map((kind) => [kind, add])),
    }
  },
}
// The rule of ESLint, reporting the whole function instead of its head.
const { builtinRules } = require("eslint/use-at-your-own-risk")
const theirs = builtinRules.get("complexity")
const whole = {
  ...theirs,
  create: (context) => theirs.create(Object.create(context, {
    report: { value: ({ node, data }) => context.report({
      loc: node.loc, message: [...node.range, node.type, data.complexity].join(" "),
    }) },
  })),
}

const linter = new Linter({ configType: "flat" })
const config = {
  files: ["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs"].map((end) => `**/*.${end}`),
  languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
  linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "off" },
  plugins: { our: { rules: { counting, whole } } },
  rules: { "our/counting": "error", "our/whole": ["error", 0] },
}

function complexities(name, text) {
  extras = new Map()
  const functions = []
  const seen = new Set()
  let error = null
  for (const message of linter.verify(text, config, { filename: name })) {
    if (message.fatal) error = message.message
    if (message.ruleId !== "our/whole") continue
    const [start, end, kind, complexity] = message.message.split(" ")
    const key = `${start},${end}`
    const counted = extras.get(key).shift()
    // a function that is the whole value of a field ends before the field's own path
    const itself = seen.has(key) ? "field" : kind
    seen.add(key)
    functions.push([Number(start), Number(end), itself, Number(complexity), ...counted])
  }
  return { path: name, error, functions }
}

const root = process.argv[2]
for (const name of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(path.join(root, name), "utf8").replace(/^\ufeff/, "")
  process.stdout.write(JSON.stringify(complexities(name, text)) + "\n")
}
