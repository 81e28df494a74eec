"""Questions right after a change of the disk: the cases of `freshness`."""
# ruff: noqa: ARG002 - all cases take the same

import os
import shutil
import subprocess
import time

ASKED_AT_ONCE = ("editor", "own command", "new file", "deleted", "renamed")


class Cases:
    """Changes of a project; after each, the name in it is asked for at once.

    Args:
        root: The project's folder, of files ``f0.ts``, ``f1.ts``…
        files: How many.
        source: Returns the text of a file, by number and mark.
        call: Runs a tool; returns its result.
        folder: Returns the folder of a file, by number.
    """

    def __init__(self, root, files, *, source, call, folder):
        self._root = root
        self._files = files
        self._source = source
        self._call = call
        self._folder = folder
        self._count = 0
        self.seconds = []
        self.cpu_s = []

    def wrong(self, case, count):
        """Return how many of so many questions got a wrong answer that did not say so."""
        self.seconds, self.cpu_s = [], []
        return sum(not self._is_right(case) for _ in range(count))

    def _is_right(self, case):
        self._count += 1
        mark, number = 1000 + self._count, self._count * 37 % self._files
        path = f"{self._folder(number)}/f{number}.ts"
        name, is_there = getattr(self, "_" + case.replace(" ", "_"))(path, number, mark)
        began, began_cpu = time.perf_counter(), time.process_time()
        result = self._call("find_definition", {"symbol": name})
        self.seconds.append(time.perf_counter() - began)
        self.cpu_s.append(time.process_time() - began_cpu)
        return bool(result.output.definitions) == is_there or bool(result.doubts)

    def _learn(self, name):
        """Have the index know a name, unless it says that it cannot."""
        result = self._call("find_definition", {"symbol": name})
        assert result.output.definitions or result.doubts

    def _editor(self, path, number, mark):
        """An editor that writes another file and renames it, or writes in place, in turn."""
        target = self._root / path
        target.parent.mkdir(exist_ok=True)
        if mark % 2:
            target.write_text(self._source(number, self._files, mark))
        else:
            beside = target.with_name(f".{target.name}.swp")
            beside.write_text(self._source(number, self._files, mark))
            beside.replace(target)
        return f"mark{number}_{mark}", True

    def _own_command(self, path, number, mark):
        name = f"mark{number}_{mark}"
        done = self._call("run_command", {"command": f"echo 'export const {name} = 1' >> {path}"})
        assert done.success, done
        return name, True

    def _new_file(self, path, number, mark):
        (self._root / path).with_name(f"new{mark}.ts").write_text(f"export const fresh{mark} = 1\n")
        return f"fresh{mark}", True

    def _deleted(self, path, number, mark):
        name, _ = self._new_file(path, number, mark)
        self._learn(name)
        (self._root / path).with_name(f"new{mark}.ts").unlink()
        return name, False

    def _renamed(self, path, number, mark):
        """A file takes the place of another, whose name is asked for."""
        name, _ = self._new_file(path, number, mark)
        (self._root / path).with_name(f"other{mark}.ts").write_text(f"export const o{mark} = 1\n")
        self._learn(name)
        new = (self._root / path).with_name(f"new{mark}.ts")
        new.with_name(f"other{mark}.ts").replace(new)
        return name, False

    def _folder_swapped(self, path, number, mark):
        one, other = self._root / "swapped", self._root / f"kept{mark}"
        one.mkdir(exist_ok=True)
        other.mkdir()
        (one / "a.ts").write_text("export const before = 1\n")
        (other / "a.ts").write_text(f"export const swapped{mark} = 1\n")
        self._call("find_definition", {"symbol": "before"})
        one.rename(self._root / "aside")
        other.rename(one)
        shutil.rmtree(self._root / "aside")
        return f"swapped{mark}", True

    def _branch_switch(self, path, number, mark):
        def git(*arguments):
            name = ("-c", "user.name=A", "-c", "user.email=a@b.c")
            command = ("git", *name, *arguments)
            subprocess.run(command, cwd=self._root, check=True, capture_output=True)

        if not os.path.lexists(self._root / ".git"):
            git("init", "-q", "-b", "main")
            git("add", "-A")
            git("commit", "-q", "-m", "one")
        git("checkout", "-q", "-b", f"b{mark}")
        for each in range(0, self._files, max(1, self._files // 50)):
            place = self._root / self._folder(each) / f"f{each}.ts"
            place.write_text(f"export const switched{each}_{mark} = 1\n")
        git("commit", "-q", "-am", "two")
        git("checkout", "-q", "main")
        self._call("find_definition", {"symbol": f"switched0_{mark}"})
        git("checkout", "-q", f"b{mark}")
        return f"switched0_{mark}", True
