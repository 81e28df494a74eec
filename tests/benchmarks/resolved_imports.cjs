// What TypeScript takes the imports of files for, as JSON.
//
// Input (standard input), for each project: {"root": folder, "files": [paths relative to it],
// "imports": null or [[path, specifier, kind]…]}. The imports of the files are found by TypeScript.
// Output, for each: [[path, specifier, kind, resolved path relative to root, or null]…]; a file
// outside of root or in node_modules is null, links are followed. Left out is what TypeScript has
// no answer for: it overflows where "imports" lead to themselves, and where a package.json names a
// file that has one of the "moduleSuffixes" it takes that for the file without, which is not there.
//
// Options are those of the nearest tsconfig.json or jsconfig.json that includes the file, by
// itself or through a reference. "resolveJsonModule" is on unless it is switched off. References
// to projects count as in the editor: declarations that are not built stand for their sources.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");

let root = "";
const known = new Map();
const configs = new Map();
const parsed = new Map();

function memo(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

const real = new Map();
const host = {
  ...ts.sys,
  fileExists: (file) => memo(known, file, () => ts.sys.fileExists(file)),
  getCurrentDirectory: () => "/",
  onUnRecoverableConfigFileDiagnostic: () => {},
};

function parse(file, extra) {
  return memo(parsed, `${file} ${JSON.stringify(extra)}`, () =>
    ts.getParsedCommandLineOfConfigFile(file, extra, host));
}

// The configuration as it is, with the files that it includes, JavaScript or not.
function configOf(file) {
  return memo(configs, file, () => {
    const config = parse(file, {});
    const options = { ...config.options };
    options.resolveJsonModule = options.resolveJsonModule ?? true;
    const included = new Set(parse(file, { allowJs: true }).fileNames);
    return { file, options, config, included };
  });
}

function referencesOf(config) {
  return (config.config.projectReferences ?? [])
    .map((reference) => ts.resolveProjectReferencePath(reference))
    .filter((file) => host.fileExists(file));
}

function withReferences(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const config = configOf(file);
  return [config, ...referencesOf(config).flatMap((other) => withReferences(other, seen))];
}

const nearest = new Map();
function candidatesIn(folder) {
  return memo(nearest, folder, () => {
    for (const name of ["tsconfig.json", "jsconfig.json"]) {
      const file = path.join(folder, name);
      if (host.fileExists(file)) return withReferences(file);
    }
    return folder === root ? [] : candidatesIn(path.dirname(folder));
  });
}

const bare = { options: { resolveJsonModule: true }, config: {} };
function configFor(file) {
  const candidates = candidatesIn(path.dirname(file));
  if (candidates.length === 0) return bare;
  const beside = candidates.find(
    (config) => config.options.paths && path.dirname(config.file) === path.dirname(candidates[0].file),
  );
  return candidates.find((config) => config.included.has(file)) ?? beside ?? candidates[0];
}

// A host that has the declarations of the projects to which a configuration refers.
const hosts = new Map();
function hostFor(config) {
  if (!config.file || referencesOf(config).length === 0) return { host, sources: new Map() };
  return memo(hosts, config.file, () => {
    const sources = new Map();
    for (const other of withReferences(config.file).slice(1)) {
      for (const file of other.config.fileNames) {
        if (!ts.isDeclarationFileName(file) && !file.endsWith(".json")) {
          const made = ts.getOutputDeclarationFileName(file, other.config, false);
          if (!sources.has(made)) sources.set(made, file);
        }
      }
    }
    const made = {
      ...host,
      directoryExists: undefined,
      fileExists: (file) => host.fileExists(file)
        || (ts.isDeclarationFileName(file) && sources.has(realPath(file))),
      realpath: realPath,
    };
    return { host: made, sources };
  });
}

// The real path also of what does not exist.
function realPath(file) {
  return memo(real, file, () => {
    try {
      return fs.realpathSync(file);
    } catch {
      const folder = path.dirname(file);
      return folder === file ? file : path.join(realPath(folder), path.basename(file));
    }
  });
}

const scopes = new Map();
function sourceFile(file, text, config) {
  const cache = memo(scopes, config.file ?? "", () =>
    ts.createModuleResolutionCache(root, (name) => name, config.options).getPackageJsonInfoCache());
  const implied = ts.getImpliedNodeFormatForFileWorker(file, cache, host, config.options);
  const made = ts.createSourceFile(file, text, { languageVersion: ts.ScriptTarget.Latest }, true);
  made.impliedNodeFormat = typeof implied === "object" ? implied.impliedNodeFormat : implied;
  made.packageJsonScope = typeof implied === "object" ? implied.packageJsonScope : undefined;
  return made;
}

function* importsIn(node) {
  const text = (kind, literal) => ({ kind, literal });
  if (ts.isImportDeclaration(node) && ts.isStringLiteralLike(node.moduleSpecifier)) {
    const kind = !node.importClause ? "side-effect"
      : node.importClause.isTypeOnly ? "type" : "import";
    yield text(kind, node.moduleSpecifier);
  } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    yield text("re-export", node.moduleSpecifier);
  } else if (ts.isExternalModuleReference(node) && ts.isStringLiteralLike(node.expression)) {
    yield text("import-equals", node.expression);
  } else if (ts.isLiteralImportTypeNode(node)) {
    yield text("type-query", node.argument.literal);
  } else if (ts.isCallExpression(node) && node.arguments.length > 0
    && ts.isStringLiteralLike(node.arguments[0])) {
    if (node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      yield text("dynamic", node.arguments[0]);
    } else if (ts.isRequireCall(node, true)) {
      yield text("require", node.arguments[0]);
    }
  }
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* importsIn(child);
}

// Source text with one import of a kind.
const SAMPLES = {
  "import": (text) => `import a from ${text};`,
  "type": (text) => `import type a from ${text};`,
  "side-effect": (text) => `import ${text};`,
  "re-export": (text) => `export * from ${text};`,
  "import-equals": (text) => `import a = require(${text});`,
  "type-query": (text) => `let a: import(${text});`,
  "dynamic": (text) => `import(${text});`,
  "require": (text) => `require(${text});`,
};

const NOTHING = Symbol("no answer");

function resolved(name, file, options, own, mode) {
  try {
    return ts.resolveModuleName(name, file, options, own, undefined, undefined, mode).resolvedModule;
  } catch (error) {
    if (error instanceof RangeError) return NOTHING;
    throw error;
  }
}

function resolve(file, source, literal, config) {
  const mode = ts.getModeForUsageLocation(source, literal, config.options);
  const { host: own, sources } = hostFor(config);
  const resolvedModule = resolved(literal.text, file, config.options, own, mode);
  if (!resolvedModule) return null;
  if (resolvedModule === NOTHING || !own.fileExists(resolvedModule.resolvedFileName)) return NOTHING;
  const found = realPath(resolvedModule.resolvedFileName);
  const target = path.relative(root, sources.get(found) ?? found);
  const isOutside = target.startsWith("..") || path.isAbsolute(target);
  return isOutside || target.split("/").includes("node_modules") ? null : target;
}

function answersFor(input) {
  root = fs.realpathSync(input.root);
  const answers = [];
  for (const name of input.files ?? []) {
    const file = path.join(root, name);
    const config = configFor(file);
    const source = sourceFile(file, fs.readFileSync(file, "utf8"), config);
    for (const { kind, literal } of importsIn(source)) {
      answers.push([name, literal.text, kind, resolve(file, source, literal, config)]);
    }
  }
  for (const [name, specifier, kind] of input.imports ?? []) {
    const file = path.join(root, name);
    const config = configFor(file);
    const source = sourceFile(file, SAMPLES[kind](JSON.stringify(specifier)), config);
    const [{ literal }] = importsIn(source);
    answers.push([name, specifier, kind, resolve(file, source, literal, config)]);
  }
  return answers.filter((answer) => answer[3] !== NOTHING);
}

const projects = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(projects.map(answersFor)));
