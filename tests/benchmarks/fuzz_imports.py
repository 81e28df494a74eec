"""Compare where imports lead with the TypeScript compiler, on projects made at random.

``python tests/benchmarks/fuzz_imports.py [COUNT] [SEED]``: make COUNT projects (200), the first
from SEED (0): packages that find each other through workspaces, with random fields in their
package.json, configurations that extend and refer to each other, and files. A project in which an
import leads elsewhere is kept, and its folder named.

Left out are names that lead out of node_modules by "..", packages of pnpm that are used but not
depended on, and ``typesVersions`` for a file in a folder that does not exist: all are found here.
"""

import json
import posixpath
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compare_imports import Project, compiler_answers, judged, shown

_STEMS = ["a", "b", "index", "main", "util", "deep/index", "deep/c", "a.ios", "style.css", "x.y"]
_ENDINGS = [
    *([".ts"] * 6),
    *(".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts", ".json"),
]
_WRITTEN = ["", "", "", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".json", ".d.ts", ".mts", ".css", "/"]
_CONDITIONS = [
    *("import", "require", "types", "default", "node", "browser", "custom", "types@>=5.2"),
    *("types@<4", "module-sync"),
]
_KINDS = ["import"] * 5 + ["type", "re-export", "dynamic", "require", "import-equals", "type-query"]
_RANGES = ["*", ">=5", "<4.9", "~5.9", ">=4.2 <6", "^3 || ^5.1", "5.x", "6 - 7", "no range"]
_AT_ONCE = 50


class Maker:
    """Makes one project.

    Args:
        root: An empty folder for it.
        seed: What chance begins with.
    """

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.chance = random.Random(seed)
        self.files: set[str] = set()
        self.folders: dict[str, str] = {}

    def make(self) -> Project:
        """Write the project; return it with the imports to resolve."""
        chance = self.chance
        for number in range(chance.randint(1, 3)):
            name = chance.choice(["@s/", "", ""]) + f"p{number}"
            self.folders[name] = f"packages/p{number}"
        if chance.random() < 0.2:
            self.folders["@types/p0"] = "packages/types-p0"
        for folder in ("", *self.folders.values()):
            self._sources(folder)
        for name, folder in self.folders.items():
            self._json(f"{folder}/package.json", self._package(name) | self._linked(folder))
        self._json("package.json", self._root_package())
        for name, folder in self.folders.items():
            self._link(f"node_modules/{name}", folder)
            for built in (
                "deep",
                "dist/gen",
                "dist/deep",
                "lib/deep",
                "src/gen/deep",
                "src/deep",
                "src/src",
            ):
                (self.root / folder / built).mkdir(parents=True, exist_ok=True)
        self._configs()
        places = [path for path in sorted(self.files) if path.endswith(("ts", "tsx", "js", "jsx"))]
        return Project(self.root, [], [self._import(places) for _ in range(60)])

    def _sources(self, folder: str) -> None:
        for _ in range(self.chance.randint(3, 9)):
            place = self.chance.choice(["", "src/", "src/", "lib/", "src/gen/"])
            path = place + self.chance.choice(_STEMS) + self.chance.choice(_ENDINGS)
            self._write(f"{folder}/{path}" if folder else path, "export {};\n")
        if self.chance.random() < 0.2:
            inner = f"{folder}/src/deep".lstrip("/")
            self._json(
                f"{inner}/package.json", self._some({"main": self._target, "types": self._target})
            )

    def _root_package(self) -> dict[str, Any]:
        chance = self.chance
        made = self._package("root")
        if chance.random() < 0.5:
            made["workspaces"] = chance.choice([["packages/*"], {"packages": ["packages/**"]}])
        else:
            self._write("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n")
        return made

    def _package(self, name: str) -> dict[str, Any]:
        made = self._some(
            {
                "type": lambda: self.chance.choice(["module", "commonjs"]),
                "main": self._target,
                "types": self._target,
                "typings": self._target,
                "module": self._target,
                "exports": lambda: self._exports("./"),
                "imports": lambda: self._exports("#"),
                "typesVersions": self._versions,
            },
        )
        return {"name": name, "version": "1.0.0", **made}

    def _linked(self, folder: str) -> dict[str, Any]:
        """Return dependencies that are folders, linked under another name."""
        if self.chance.random() < 0.6:
            return {}
        name, target = self.chance.choice(sorted(self.folders.items()))
        self._link(f"{folder}/node_modules/linked", target)
        version = self.chance.choice(
            [f"workspace:{name}@^", f"link:../../{target}", f"file:../../{target}/"]
        )
        return {self.chance.choice(["dependencies", "devDependencies"]): {"linked": version}}

    def _some(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {name: make() for name, make in fields.items() if self.chance.random() < 0.35}

    def _target(self) -> str:
        chance = self.chance
        known = [path.split("/", 2)[-1] for path in sorted(self.files) if path.count("/") > 2]
        if known and chance.random() < 0.6:
            text = chance.choice(known)
            if chance.random() < 0.5:
                text = text.rpartition(".")[0] + chance.choice([".js", "", ".mjs", ".d.ts"])
            if chance.random() < 0.3:
                text = text.replace("src/", "dist/", 1)
        else:
            folder = chance.choice(["", "src/", "dist/", "lib/"])
            text = folder + chance.choice(_STEMS) + chance.choice(_WRITTEN)
        return chance.choice(["./", "./", "./", ""]) + text

    def _exports(self, prefix: str, depth: int = 0) -> Any:
        chance = self.chance
        if prefix == "./" and chance.random() < 0.2:
            return self._leaf(depth)
        keys = [".", "./a", "./*", "./src/*", "./*.js", "./deep/*", "./lib/", "./util", "./x*y"]
        if prefix == "#":
            keys = ["#a", "#*", "#src/*", "#in/*.js", "#dir/", "#up", "#p"]
        return {key: self._leaf(depth, key) for key in chance.sample(keys, chance.randint(1, 4))}

    def _leaf(self, depth: int, key: str = ".") -> Any:
        chance = self.chance
        roll = chance.random()
        if depth < 2 and roll < 0.35:
            conditions = chance.sample(_CONDITIONS, chance.randint(1, 3))
            return {condition: self._leaf(depth + 1, key) for condition in conditions}
        if depth < 2 and roll < 0.42:
            return [self._leaf(depth + 1, key) for _ in range(chance.randint(0, 2))]
        return None if roll < 0.48 else self._end(key)

    def _end(self, key: str) -> str:
        """Return a target of ``exports`` or ``imports``."""
        chance = self.chance
        if key.startswith("#") and chance.random() < 0.15:
            return chance.choice([*self.folders, "#a", "p0/a", "../up.js"])
        if key.endswith("/"):
            return chance.choice(["./src/", "./lib/", "./dist/"])
        if "*" in key:
            folder = chance.choice(["", "src/", "lib/", "dist/"])
            return f"./{folder}{chance.choice(['*', '*', '*/index'])}{chance.choice(_WRITTEN[:-1])}"
        target = self._target()
        return target if target.startswith("./") else f"./{target}"

    def _versions(self) -> dict[str, Any]:
        chance = self.chance
        keys = ["*", "a", "deep/*", "index.d.ts", "src/*"]
        return {
            chance.choice(_RANGES): {
                key: [chance.choice(["src/*", "lib/*", "ts/*", "./src/a.ts", "*"])]
                for key in chance.sample(keys, chance.randint(1, 2))
            }
            for _ in range(chance.randint(1, 2))
        }

    def _configs(self) -> None:
        chance = self.chance
        if chance.random() < 0.1:
            return
        name = "tsconfig.json" if chance.random() < 0.9 else "jsconfig.json"
        self._json(name, self._config())
        self._json("tsconfig.base.json", self._config())
        referred: list[str] = []
        for folder in self.folders.values():
            if chance.random() < 0.4:
                made = self._config()
                if chance.random() < 0.5:
                    base = ["../../tsconfig.base.json", "../../tsconfig.base", "../../tsconfig"]
                    made["extends"] = chance.choice([chance.choice(base), base[:1], *self.folders])
                self._json(f"{folder}/tsconfig.json", made)
                referred.append(folder)
        if chance.random() < 0.3:
            made = self._config() | {"references": [{"path": f"./{other}"} for other in referred]}
            self._json(name, made | ({"files": []} if chance.random() < 0.5 else {}))
        for folder in referred:
            others = [other for other in referred if other < folder and chance.random() < 0.5]
            if others:
                file = self.root / folder / "tsconfig.json"
                made = json.loads(file.read_text())
                made["references"] = [{"path": f"../../{other}"} for other in others]
                file.write_text(json.dumps(made))

    def _config(self) -> dict[str, Any]:
        chance = self.chance
        options: dict[str, Any] = {}
        pairs = [
            {},
            {"module": "commonjs"},
            {"module": "esnext"},
            {"target": "es2020"},
            {"module": "nodenext"},
            {"module": "node16"},
            {"module": "node16"},
            {"module": "preserve"},
            {"module": "esnext", "moduleResolution": "bundler"},
            {"module": "ES2022", "moduleResolution": "Bundler"},
            {"module": "esnext", "moduleResolution": "node"},
            {"module": "commonjs", "moduleResolution": "node10"},
            {"module": "esnext", "moduleResolution": "classic"},
            {"moduleResolution": "bundler"},
            {"module": "commonjs", "moduleResolution": "node16"},
        ]
        options |= chance.choice(pairs)
        options |= self._some(
            {
                "baseUrl": lambda: chance.choice([".", "src", "./lib"]),
                "rootDirs": lambda: chance.choice(
                    [["src", "lib"], ["src", "src/gen"], [".", "lib"]]
                ),
                "moduleSuffixes": lambda: chance.choice([[".ios", ""], [""], [".ios"]]),
                "allowJs": lambda: chance.choice([True, False]),
                "resolveJsonModule": lambda: chance.choice([True, False]),
                "outDir": lambda: chance.choice(["dist", "./dist", "${configDir}/dist"]),
                "declarationDir": lambda: "types",
                "rootDir": lambda: chance.choice(["src", "."]),
                "composite": lambda: True,
                "paths": self._paths,
            },
        )
        if (
            options.get("moduleResolution", "").lower() == "bundler"
            or "preserve" in options.values()
        ):
            options |= self._some(
                {
                    "customConditions": lambda: ["custom"],
                    "resolvePackageJsonExports": lambda: chance.choice([True, False]),
                    "resolvePackageJsonImports": lambda: chance.choice([True, False]),
                },
            )
        made: dict[str, Any] = {"compilerOptions": options}
        made |= self._some(
            {
                "include": lambda: chance.choice([["src"], ["src/**/*"], ["**/*.ts"], ["lib/*"]]),
                "exclude": lambda: chance.choice([["lib"], ["src/deep"], ["**/*.js"]]),
            },
        )
        return made

    def _paths(self) -> dict[str, list[str]]:
        chance = self.chance
        keys = ["@/*", "~", "*", "@s/*", "p0", "@*/x", "p1/*", "@/deep/*", "/*"]
        targets = [
            "src/*",
            "./lib/*",
            "packages/*/src",
            "src/a.ts",
            "*",
            "${configDir}/src/*",
            "src/*.ts",
        ]
        return {
            key: [t if "*" in key else t.replace("*", "a") for t in chance.sample(targets, 2)]
            for key in chance.sample(keys, chance.randint(1, 3))
        }

    def _import(self, places: Sequence[str]) -> tuple[str, str, str]:
        """Return an import: the file that has it, the name and the kind."""
        chance = self.chance
        path = chance.choice(places)
        roll = chance.random()
        if roll < 0.4:
            name = self._relative(path)
        elif roll < 0.5:
            name = "#" + chance.choice(
                ["a", "a", "src/a", "in/a.js", "dir/a.js", "up", "p", "x.js"]
            )
        elif roll < 0.8:
            name = self._of_package()
        else:
            name = self._aliased()
        return path, name, chance.choice(_KINDS)

    def _relative(self, path: str) -> str:
        chance = self.chance
        if chance.random() < 0.1:
            return chance.choice([".", "..", "./", "../", "../..", "./.", "./none"])
        folder = path.rpartition("/")[0]
        near = [file for file in sorted(self.files) if file.startswith(folder)]
        target = chance.choice(near if chance.random() < 0.8 else sorted(self.files))
        name = posixpath.relpath(target, folder or ".")
        return self._ended(name if name.startswith("../") else f"./{name}")

    def _ended(self, name: str) -> str:
        """Return a path with another ending, or with that of a folder."""
        chance = self.chance
        roll = chance.random()
        if roll < 0.1:
            return name
        folder, _, last = name.rpartition("/")
        if roll < 0.2 and folder:
            return folder + chance.choice(["", "/"])
        stem = last.replace(".d.", ".").rpartition(".")[0] or last
        return f"{folder}/{stem}".lstrip("/") + chance.choice(_WRITTEN[:-1])

    def _of_package(self) -> str:
        chance = self.chance
        known = [*self.folders.items(), *self.folders.items(), ("root", "")]
        known.append(("linked", chance.choice(sorted(self.folders.values()))))
        name, folder = chance.choice(known)
        name = name.removeprefix("@types/")
        roll = chance.random()
        if roll < 0.3:
            return name
        own = [path[len(folder) :].lstrip("/") for path in self.files if path.startswith(folder)]
        rest = chance.choice(["a", "util", "src/a", "deep/c", "x1y", "lib/a", "src/deep"])
        if roll < 0.7:
            rest = self._ended(chance.choice(sorted(own)))
        return f"{name}/{rest}"

    def _aliased(self) -> str:
        chance = self.chance
        file = chance.choice(sorted(self.files))
        for folder in ("src/", "lib/", "packages/"):
            if chance.random() < 0.8:
                file = file.removeprefix(folder)
        start = chance.choice(
            ["@/", "@/", "~", "src/", "", "", "@s/", "@q/x", "/", "node:fs", "p0/"]
        )
        return start + self._ended(file)

    def _json(self, path: str, value: object) -> None:
        self._write(path, json.dumps(value, indent=1))

    def _write(self, path: str, text: str) -> None:
        file = self.root / path
        if not file.is_dir() and not any((self.root / p).is_file() for p in Path(path).parents):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            self.files.add(path)

    def _link(self, path: str, target: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(self.root / target)


def main(arguments: Sequence[str]) -> int:
    """Print how many imports are equal, and the differences; return 1 when there are some."""
    count, first = (*map(int, arguments), *(200, 0)[len(arguments) :])
    folder = Path(tempfile.mkdtemp(prefix="imports-"))
    total = inside = 0
    wrong: list[str] = []
    for start in range(first, first + count, _AT_ONCE):
        seeds = range(start, min(start + _AT_ONCE, first + count))
        projects = []
        for seed in seeds:
            (folder / str(seed)).mkdir()
            projects.append(Maker(folder / str(seed), seed).make())
        for seed, project, answers in zip(seeds, projects, compiler_answers(projects), strict=True):
            result = judged(project.root, answers)
            total += result.count
            inside += result.found
            wrong += [f"{seed}: {shown(answer, our)}" for answer, our in result.differences]
            if not result.differences:
                shutil.rmtree(project.root)
    print(f"{total} imports, {inside} inside, {total - len(wrong)} equal, ", end="")
    print(f"{(total - len(wrong)) / total:.5f}")
    if wrong:
        print(f"kept in {folder}:", *wrong[:100], sep="\n")
    else:
        folder.rmdir()
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
