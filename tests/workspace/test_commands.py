import fnmatch
import posixpath
import shlex
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.workspace.commands import Verdict, judge

SCRIPTS = {
    "test": "vitest run",
    "lint": "eslint src --max-warnings 0",
    "types": "tsc --noEmit",
    "check": "npm run lint",
    "all": "npm run lint && npm test",
    "build": "tsc -p tsconfig.build.json",
    "clean": "rm -rf dist",
    "predeploy": "sudo true",
    "deploy": "vitest run",
    "loop": "npm run loop",
    "release": "npm publish",
    "cargo": "cargo --version",
    "hooked": "vitest run",
    "posthooked": "node scripts/report.js",
    "python-tests": "pytest -q",
    "publish": "echo nothing to publish",
}

PROGRAMS: dict[str, tuple[str, ...]] = {
    "eslint": ("node_modules/.bin/eslint", "node_modules/eslint/bin/eslint.js"),
    "vitest": ("node_modules/.bin/vitest",),
    "python3": (".venv/bin/python3",),
    "local-tool": ("node_modules/.bin/local-tool",),
} | dict.fromkeys(("bash", "cargo", "gcc", "git", "node", "npm", "rm", "sudo"), ())
SCRIPT_PROGRAMS = {**PROGRAMS, "cargo": ("node_modules/.bin/cargo",)}
INSIDE = "/project"


def judged(command: str, env: dict[str, str] | None = None) -> Verdict:
    return judge(
        command,
        read_script=SCRIPTS.get,
        find_program=lambda name, in_script: (SCRIPT_PROGRAMS if in_script else PROGRAMS).get(name),
        is_inside=lambda path: posixpath.normpath(posixpath.join(INSIDE, path)).startswith(INSIDE),
        env=env,
    )


DENIED = """
rm -rf keep
rm -r keep
rm -R keep
rm -fr keep
rm -f -r keep
rm -r -f keep
rm -f keep -r
rm keep -rf
rm -vrf keep
rm --recursive keep
rm --recursive --force keep
rm --rec -f keep
rm  -rf   keep
	rm -rf keep
/bin/rm -rf keep
/usr/bin/rm -r keep
../../bin/rm -rf keep
\\rm -rf keep
'rm' -rf keep
"rm" -rf keep
r''m -rf keep
r"m" -rf keep
r\\m -rf keep
rm -r''f keep
rm "-rf" keep
rm -"r"f keep
$'rm' -rf keep
$'\\x72m' -rf keep
$'\\162m' -rf keep
rm${IFS}-rf${IFS}keep
rm$IFS-rf$IFS'keep'
{rm,-rf,keep}
r{m,} -rf keep
x=rm; $x -rf keep
a=r b=m; $a$b -rf keep
x='rm -rf'; $x keep
x=(rm -rf keep); "${x[@]}"
x=r; x+=m; $x -rf keep
export x=rm; $x -rf keep
${x:-rm} -rf keep
r$@m -rf keep
r${z}m -rf keep
$nothing rm -rf keep
$(echo rm) -rf keep
`echo rm` -rf keep
$(printf '%s' rm) -rf keep
$(which rm) -rf keep
$(echo rm -rf keep)
set -- rm -rf keep; "$@"
f() { "$@"; }; f rm -rf keep
f() { rm -rf keep; }; f
for x in ls rm; do $x -rf keep; done
/bin/r? -rf keep
r[m] -rf keep
bash +e -c 'rm -rf keep'
bash +eu -o pipefail -c 'rm -rf keep'
bash +o pipefail -c 'rm -rf keep'
bash -oe pipefail -c 'rm -rf keep'
zsh -opipefail -c 'rm -rf keep'
bash -c +e 'rm -rf keep'
bash +O extglob +e -c 'rm -rf keep'
fish --command 'rm -rf keep'
fish --command='rm -rf keep'
xargs --arg-file f rm -rf
xargs --arg f rm -rf
xargs --process-slot-var N rm -rf
xargs --max-lines rm -rf
xargs --eof rm -rf
xargs -in rm -rf n
xargs -es rm -rf
xargs -l5 rm -rf
sed "s/x/rm -rf y/e"
sed -n 's|x|rm -rf y|ge' a
sed -e p -e 's/x/rm -rf y/e' a
sed --expr 's/x/rm -rf y/e' a
sed -i.bak 's/x/rm -rf y/Ie' a
sed 's/a/b/;s,x,rm -rf \\/y,e' a
sed 'e rm -rf y' a
sed '1e rm -rf y' a
sed '/a/,$ e rm -rf y' a
sed '\\,a,!erm -rf y' a
tar cf a.tar --checkpoint=1 --checkpoint-action=exec="rm -rf y" .
tar cf a.tar --checkpoint-action exec='rm -rf y' .
tar xf a.tar --to-command='rm -rf y'
tar xf a.tar --to-com 'rm -rf y'
tar -I 'rm -rf y' -cf a.tar .
tar -cI 'rm -rf y' -f a.tar .
tar cIf 'rm -rf y' a.tar .
tar -c --use-compress-program='rm -rf y' -f a.tar .
tar -cM -F 'rm -rf y' -f a.tar .
sort --compress-program='rm -rf y' a
split --filter 'rm -rf y' a
rsync -e 'rm -rf y' a b:
man -P 'rm -rf y' ls
git --version; rm -rf keep
git --version && rm -rf keep
git --version || rm -rf keep
git --version | rm -rf keep
git --version & rm -rf keep
git status |& rm -rf keep
(rm -rf keep)
{ rm -rf keep; }
! rm -rf keep
! { rm -rf keep; }
! { (rm -rf keep); }
! if true; then (rm -rf keep); fi
time { rm -rf keep; }
if true; then rm -rf keep; fi
while rm -rf keep; do :; done
case x in x) rm -rf keep;; esac
[[ -n $(rm -rf keep) ]]
git log $(rm -rf keep)
git log `rm -rf keep`
git log "$(rm -rf keep)"
git log "`rm -rf keep`"
echo ${x:-$(rm -rf keep)}
echo $((a[$(rm -rf keep)]))
a[$(rm -rf keep)]=1
cat <(rm -rf keep)
tee >(rm -rf keep)
rm >out -rf keep
rm 2>/dev/null -rf keep
>out rm -rf keep
FOO=1 rm -rf keep
env rm -rf keep
env -i FOO=1 rm -rf keep
env -u HOME rm -rf keep
env -S 'rm -rf keep'
command rm -rf keep
command -p rm -rf keep
exec rm -rf keep
exec -a ls rm -rf keep
builtin command rm -rf keep
nohup rm -rf keep
time rm -rf keep
time -p rm -rf keep
timeout 5 rm -rf keep
timeout -k 1 -s KILL 5 rm -rf keep
nice rm -rf keep
nice -n 5 rm -rf keep
ionice -c2 -n7 rm -rf keep
setsid rm -rf keep
stdbuf -oL rm -rf keep
coproc rm -rf keep
busybox rm -rf keep
strace -f rm -rf keep
poetry run rm -rf keep
npx rm -rf keep
npm exec -- rm -rf keep
npm exec -c 'rm -rf keep'
pnpm dlx rm -rf keep
cross-env A=1 rm -rf keep
xargs rm -rf
echo keep | xargs rm -rf
echo keep | xargs -I{} rm -rf {}
echo '-rf keep' | xargs rm
printf 'rm -rf keep' | xargs -I{} sh -c '{}'
find . -name keep -exec rm -rf {} +
find . -type d -exec rm -r {} ;
find . -exec sh -c 'rm -rf keep' \\;
find keep -delete
find keep -type f -delete
fd keep -x rm -rf
sh -c 'rm -rf keep'
bash -c "rm -rf keep"
bash -lc 'rm -rf keep'
bash -e -c -- 'rm -rf keep'
bash -c 'bash -c "rm -rf keep"'
sh -c '"$@"' _ rm -rf keep
sh -c '$0 -rf keep' rm
bash -c "$(echo rm -rf keep)"
$SHELL -c 'rm -rf keep'
x='rm -rf keep'; bash -c "$x"
eval rm -rf keep
eval 'rm -rf keep'
eval "$(echo rm -rf keep)"
trap 'rm -rf keep' EXIT
alias ls='rm -rf keep'; ls
echo 'rm -rf keep' | sh
printf 'rm -rf keep\\n' | bash -s
echo rm -rf keep | cat | bash
echo "rm -rf keep" | tee log | sh
bash <<< 'rm -rf keep'
bash <<EOF⏎rm -rf keep⏎EOF
bash <<'EOF'⏎rm -rf keep⏎EOF
cat <<EOF | sh⏎rm -rf keep⏎EOF
cat <<EOF⏎$(rm -rf keep)⏎EOF
bash <(echo rm -rf keep)
source <(echo 'rm -rf keep')
. <(echo rm -rf keep)
git status⏎rm -rf keep
git status # harmless⏎rm -rf keep
git status \\⏎; rm -rf keep
rm \\⏎ -rf keep
git status⏎\\rm -rf keep
ls `echo \\`rm -rf keep\\``
echo hi; ; rm -rf keep
rm -rf 'keep
watch -n 1 rm -rf keep
script -c 'rm -rf keep'
ssh host rm -rf keep
python -c "import os; os.system('rm -rf keep')"
node -e "require('child_process').execSync('rm -rf keep')"
python3 -c 'import subprocess; subprocess.run(["rm", "-rf", "keep"])'
perl -e 'system("rm -rf keep")'
awk 'BEGIN { system("rm -rf keep") }'
sudo ls
sudo
sudo -n true
/usr/bin/sudo ls
echo x | sudo tee /etc/hosts
doas ls
su -c ls
su - root -c ls
su --command=ls
pkexec ls
git push --force
git push -f
git push -uf origin main
git push origin main --force
git push --force-with-lease
git push --force-with-lease=main:abc origin
git push origin +main
git push origin +main:main
git push --mirror
git -C dir push --force
git  push   --force
/usr/bin/git push -f
git --git-dir=x --work-tree y push --force
git reset --hard
git reset HEAD~1 --hard
git reset --har HEAD
git -C dir reset --hard
git -c core.x=y reset --hard
git-reset --hard
git clean -fd
git clean -f
git clean -d -f
git clean -dxf
git clean --force -d
git -c clean.requireForce=false clean -d
git -c alias.x='!rm -rf .' x
git -c alias.x='reset --hard' x
git -c core.pager='rm -rf keep' log
GIT_PAGER='rm -rf keep' git log
GIT_EXTERNAL_DIFF='rm -rf keep' git diff
git config alias.x '!rm -rf .'
git bisect run rm -rf keep
git submodule foreach 'rm -rf keep'
git rebase -x 'rm -rf keep' main
git rebase --exec='rm -rf keep' main
npm publish
npm  publish --access public
npm --access public publish
npm pub
npm --foo bar publish
pnpm publish
pnpm -r publish
yarn publish
yarn npm publish
yarn workspace a publish
npx npm publish
npm run clean
npm run clean -- --verbose
npm run-script clean
pnpm run clean
yarn run clean
yarn clean
npm run deploy
npm run release
npm --silent run clean
chmod +x run.sh
chmod 777 keep
/bin/chmod 644 a
chown root keep
find . -exec chmod 777 {} +
RM -rf keep
sudo rm -rf /
cd / && rm -rf *
"""

RUN = """
git status
git status --short
git status -sb
git  status
git diff
git diff --stat HEAD~1
git diff main..feature -- src/a.ts
git diff --cached
git log
git log --oneline -10
git log --format='%h (%an) %s' -- src
git log --since="2 weeks ago" --author='A B'
git log --grep 'rm -rf'
git log -S sudo --all
git show
git show HEAD~2:src/a.ts
git show HEAD@{1}
git --no-pager log -p
git branch
git branch -a
git branch -vv
git branch --list 'feature/*'
git branch --show-current
git branch --contains HEAD
git --version
git --help
tsc --noEmit
tsc --noEmit -p tsconfig.json
tsc --project tsconfig.json --noEmit --pretty
tsc -noEmit
eslint .
eslint src --ext .ts,.tsx --max-warnings 0
eslint src/**/*.ts --quiet
eslint -f json src
prettier --check .
prettier -c src
prettier --list-different src
vitest
vitest run
vitest run src/a.test.ts -t 'rm -rf'
vitest --run --reporter=verbose
jest
jest src/a.test.ts --ci --runInBand
jest -t "adds (two) numbers" --watch=false
mocha
mocha test/a.js --grep "x; y"
pytest
pytest -q tests/test_a.py -k 'a and not b'
pytest -xvs --maxfail=1 --tb=short
python -m pytest tests
npm test
npm t
npm run test
npm run lint
npm run types
npm run check
npm run python-tests
npm --silent test
npm test -- src/a.test.ts
npm run test -- -t 'a b'
pnpm test
pnpm run lint
yarn test
yarn run lint
yarn test src/a.test.ts
node --version
node -v
npm --version
python --version
python3 -V
cargo --version
gcc --version
rm --version
bash --version
python3 --version
eslint --version
tsc --version
npx --help
"""

ASKED = """
ls
local-tool --version
local-tool --help
nowhere --version
npm run cargo
bash +e script.sh
xargs --arg-file f grep rm
sed 's/rm -rf x/y/e' a
sed 's/x/rm -rf y/' a
sed 's/e rm -rf y/z/' a
sed -f script.sed rm
tar cf a.tar rm
tar cf a.tar --checkpoint-action=dot .
tar xzf a.tar -C rm
ls -la
cat a.ts
echo hi
echo "rm -rf x"
echo 'rm -rf x'
echo rm -rf x
echo "sudo make me a sandwich"
printf '%s\\n' 'git push --force'
git commit -m "sudo"
git commit -m "remove the rm -rf from the script"
git commit -m 'git reset --hard'
grep 'rm -rf' file
grep rm -r src
grep -r chmod src
rg 'sudo|doas'
time grep -r chmod src
timeout 10 grep -r sudo src
xargs grep chmod
man chmod
which sudo
type rm
command -v sudo
apt install sudo
npm install chmod
npm install publish
npm run publish
npm --silent run publish
npm help publish
sed -n 's/rm -rf//p' a
awk '/rm -rf/ { print }' a
python -c "print('rm -rf x')"
node -e "console.log('rm -rf x')"
cat <<EOF⏎rm -rf keep⏎EOF
cat <<'EOF' > notes.md⏎sudo rm -rf keep⏎EOF
cat <<< 'rm -rf keep'
bash import.sh <<EOF⏎rm -rf keep⏎EOF
echo a # rm -rf keep
rm a.txt
rm -f a.txt
rm -- -rf
rm -i a
rm *.log
rmdir keep
rm --interactive=never a
git rm -r src
git push
git push origin main
git push --follow-tags
git push -u origin main
git push --force-if-includes
git push -o x=f
git push --tags
git reset
git reset --soft HEAD~1
git reset HEAD a.ts
git clean -n
git clean -fdn
git clean -d
git branch new
git branch -D old
git branch -m a b
git branch --edit-description
git checkout .
git stash
git pull
git -C dir status
git -c core.pager=less log
git log --output=x
git log --outpu=x
git diff --ext-diff
git diff --no-index /dev/null /etc/passwd
git diff /dev/null /etc/passwd
git diff ../other/a
git show --output x
git grep -O x
git bisect run npm test
GIT_PAGER=less git log
FOO=1 npm test
git status && git diff
git status; git diff
git status | head
git status > out
git status 2>&1
git status &
git status ;
git log $HOME
git log "$HOME"
git log $(date)
git log `date`
git log ~/x
git log *
! git status
time git status
(git status)
git status⏎git diff
env git status
./git status
/usr/bin/git status
node a.js
node scripts/migrate.js
npx tsc --noEmit
npx eslint .
tsx a.ts
npm install
npm ci
npm start
npm run
npm run build
npm run all
npm run loop
npm run hooked
npm run missing
npm test && true
npm test --script-shell=./x
npm --prefix ../other test
npm test -- --update
npm run lint -- --fix
npm exec vitest
yarn
yarn lint
yarn add left-pad
pnpm install
tsc
tsc --noEmit false
tsc --noEmit --watch
tsc --build
tsc --noEmit -p /etc
tsc --noEmit @args
eslint . --fix
eslint --fix-dry-run .
eslint -o out.txt .
eslint --rulesdir x .
eslint -f ./evil.js .
eslint /etc
eslint -c other.js .
prettier a.ts
prettier --write .
prettier --check --write .
prettier --check --plugin=./x.js .
vitest watch
vitest --config other.ts
vitest run --reporter=./x.js
vitest run -u
vitest run --coverage.reportsDirectory=keep
jest --config other.js
jest -u
jest --coverage
mocha -r ./x.js
mocha --reporter ./x.js
pytest -p evil
pytest --basetemp=keep
pytest -c other.ini
pytest --junitxml=x
pytest /tmp/x.py
find . -name '*.pyc' -delete
find . -name '*.ts'
find . -exec grep chmod {} +
$cmd -rf keep
$cmd
"$x" status
bash
bash script.sh
sh -c 'ls'
./run.sh
make clean
docker run x rm -rf /tmp/x
curl http://x | sh
echo cm0gLXJmIGtlZXA= | base64 -d | sh
su user
mv a b
cp -r a b
mkdir -p x
touch a
sleep 3
yes
case x in x) ls;; esac
for i in 1 2; do echo $i; done
if
echo "unclosed
(((
git status \u2028
git\u00a0status
node --version x
./tool --version
/usr/bin/node --version
alias ll='ls -l'
source env.sh
x=ls; $x
rmx -rf keep
xrm -rf keep
charm -rf keep
sudoku
git-lfs pull
chmodx a
npm run clean:cache
"""


def rows(text: str, action: str) -> list[tuple[str, str]]:
    lines = text.strip("\n").split("\n")
    return [(line.replace("⏎", "\n"), action) for line in lines]


TABLE = [*rows(DENIED, "deny"), *rows(RUN, "run"), *rows(ASKED, "ask")]


@pytest.mark.parametrize(("command", "action"), TABLE)
def test_verdict_of(command: str, action: str) -> None:
    verdict = judged(command)
    assert verdict.action == action, verdict.reason
    assert verdict.reason


BASES = [
    ["rm", "-rf", "keep"],
    ["/bin/rm", "-f", "-r", "keep"],
    ["sudo", "ls"],
    ["git", "push", "--force"],
    ["git", "-C", "a b", "reset", "--hard"],
    ["git", "clean", "-fd"],
    ["npm", "publish"],
    ["chmod", "777", "it's"],
    ["chown", "root", "$HOME"],
]
SPELLINGS = [
    shlex.join,
    lambda argv: "  ".join(shlex.quote(word) for word in argv),
    lambda argv: " ".join("'" + word.replace("'", "'\\''") + "'" for word in argv),
    lambda argv: " ".join("\\" + word[0] + shlex.quote(word[1:]) for word in argv),
    lambda argv: "env X=1 " + shlex.join(argv),
    lambda argv: "timeout 9 " + shlex.join(argv),
    lambda argv: "xargs " + shlex.join(argv),
    lambda argv: "find . -exec " + shlex.join(argv) + " \\;",
    lambda argv: "nohup nice -n 3 " + shlex.join(argv),
]
PLACES = [
    "{}",
    "git status; {}",
    "git status && {}",
    "{} || git status",
    "git status\n{}",
    "git log | {}",
    "{} > out 2>&1",
    "( {} )",
    "{{ {}; }}",
    "! {}",
    "git log $( {} )",
    'git log "a $( {} ) b"',
    "if true; then {}; fi",
    "f() {{ {}; }}; f",
    "for i in 1 2; do {}; done",
    "[[ -n $( {} ) ]]",
    "X=$( {} ) git status",
    "git diff <({})",
]
SHELLS = ["sh -c {}", "bash -lc {}", "eval {}", "echo {} | sh", "bash <<< {}", "trap {} EXIT"]


@st.composite
def denied_texts(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SPELLINGS))(draw(st.sampled_from(BASES)))
    for _ in range(draw(st.integers(0, 2))):
        text = draw(st.sampled_from(PLACES)).format(text)
        if draw(st.booleans()):
            text = draw(st.sampled_from(SHELLS)).format(shlex.quote(text))
    return text


@settings(max_examples=400, deadline=None)
@given(denied_texts())
def test_composition_of_a_denied_command_is_denied(text: str) -> None:
    assert judged(text).action == "deny"


SNIPPETS = st.sampled_from(
    [
        *"'\"`$(){}[]<>|&;#!*?~=\\\n\t -/",
        "rm",
        "-rf",
        "keep",
        "git",
        "status",
        "sudo",
        "npm",
        "test",
        "$(",
        "${",
        "<<EOF",
        "\nEOF\n",
        "&&",
        "sh -c ",
        "\ue000",
        "\xa0",
        "é",
    ]
)


@settings(max_examples=600, deadline=None)
@given(st.lists(SNIPPETS, max_size=14).map("".join))
def test_text_that_runs_unasked_is_what_a_shell_would_split_it_into(text: str) -> None:
    """Whatever the parser makes of a text, it runs only if the words are safe literally."""
    verdict = judged(text)
    if verdict.action == "run":
        words = shlex.split(text)
        assert words[0] in {"git", "npm", "rm", "sudo"}
        assert words[0] != "rm" or words[1:] in (["--version"], ["--help"])
        assert not set(text) & set("$`|&;<>()")


@settings(max_examples=300, deadline=None)
@example("{\U00108956")
@example("\ud800")
@given(st.text(max_size=60))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert judged(text).action in {"deny", "run", "ask"}


@pytest.mark.parametrize("quote", ["'{}'", '"{}"'])
@pytest.mark.parametrize("argv", [base for base in BASES if "$HOME" not in base])
def test_quoted_text_is_data(argv: list[str], quote: str) -> None:
    for command in ("echo {}", "git commit -m {}", "grep {} notes.md"):
        text = command.format(quote.format(" ".join(argv).replace("'", "")))
        assert judged(text).action == "ask"


def test_denial_names_the_script_and_the_reason() -> None:
    verdict = judged("npm run clean")
    assert "script 'clean'" in verdict.reason
    assert "rm with -r" in verdict.reason


def test_doubt_is_named() -> None:
    reasons = {
        "ls": "not known to be safe",
        "git status | cat": "more than one plain command",
        "git status (": "could not be parsed",
        "git\u00a0status": "unusual blanks",
        "x" * 100_001: "too long",
    }
    for command, reason in reasons.items():
        assert reason in judged(command).reason


def test_safe_command_names_the_files_that_it_relies_on() -> None:
    assert "package.json" in judged("npm test").relies_on
    assert "vitest.config.*" in judged("npm test").relies_on
    assert "conftest.py" in judged("pytest").relies_on
    assert judged("git status").relies_on == ()
    assert set(PROGRAMS["eslint"]) <= set(judged("eslint .").relies_on)
    assert set(PROGRAMS["eslint"]) <= set(judged("npm run lint").relies_on)
    assert judged("eslint --version").relies_on == PROGRAMS["eslint"]
    assert judged("local-tool x").relies_on == PROGRAMS["local-tool"]


@pytest.mark.parametrize("manager", ["npm", "pnpm", "yarn"])
@pytest.mark.parametrize("arguments", ["--version", "--help", "-v", "test"])
def test_package_manager_relies_on_its_settings(manager: str, arguments: str) -> None:
    relied_on = judged(f"{manager} {arguments}").relies_on
    for name in ("package.json", ".npmrc", ".yarnrc", ".yarnrc.yml"):
        assert any(fnmatch.fnmatchcase(name, pattern) for pattern in relied_on)


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("npm install left-pad", "npm install"),
        ("npm run build -- --x", "npm run build"),
        ("node scripts/a.js 1 2", "node scripts/a.js"),
        ("node -e '1'", "node -e '1'"),
        ("ls -la src", "ls"),
        ("mv a b", "mv a b"),
        ("npm install; ls", "npm install; ls"),
        ("npm install > out", "npm install > out"),
        ("FOO=1 npm install", "FOO=1 npm install"),
        ("make", "make"),
        ("cat a.ts", "cat"),
        ("cat /project/a.ts src/b.ts", "cat"),
        ("cat /etc/hostname", None),
        ("cat a.ts /etc/hostname", None),
        ("cat ../other/a.ts", None),
        ("cat src/../../a.ts", None),
        ("grep -f/etc/passwd x", None),
        ("grep --file=../words x", None),
        ("cat '~/.ssh/id_rsa'", None),
        ("npm install ../other", None),
        ("docker run box -v /:/host", None),
        ("node scripts/a.js /etc/passwd", None),
        ("mv a ../b", "mv a ../b"),
    ],
)
def test_pattern_covers_the_same_sort_of_command_only(command: str, pattern: str | None) -> None:
    assert judged(command).pattern == pattern


def test_variables_of_the_environment_are_judged() -> None:
    assert judged("git log", env={"A": "1"}).action == "ask"
    denied = judged("git log", env={"GIT_PAGER": "rm -rf ."})
    assert denied.action == "deny"


def test_many_unknown_variables_are_judged_fast() -> None:
    text = "rm " + " ".join(f"$a{i}" for i in range(60)) + " -rf"
    started = time.monotonic()
    assert judged(text).action == "deny"
    assert time.monotonic() - started < 2


def test_deep_nesting_ends() -> None:
    text = "rm -rf keep"
    for _ in range(12):
        text = f"sh -c {shlex.quote(text)}"
    assert judged(text[:90_000]).action != "run"
