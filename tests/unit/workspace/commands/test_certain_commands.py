"""What a command starts is certain, or no setting answers for the user."""

import pytest
from command_table import judged

from ipuaro_jupyter.workspace.commands.certain_commands import certainty

OWN = {name: (f"node_modules/.bin/{name}",) for name in ("mine", "prettier", "cross-env")}


def doubt(text, variables=None):
    """Return the doubt in a project with a program of its own; ``⏎`` ends a line."""
    return certainty(
        text.replace("⏎", "\n"),
        find_program=lambda name, _: OWN.get(name, () if name != "nowhere" else None),
        is_inside=lambda path: ".." not in path.split("/") and not path.startswith(("link", "/")),
        starts_code=lambda name: name in ("PATH", "LD_PRELOAD", "BASH_ENV"),
        variables=variables or {},
    ).doubt


CERTAIN = r"""
ls -la src | grep foo | wc -l
npm install && npm run build
npm test 2>&1 | tee out.log
npm run build > build.log 2>&1; tail build.log
git add -A && git commit -m "Make rm (safe)"
git log --oneline --format='%h %s' | head -5
git -C sub -c user.name=x status; git; git config user.name x; git config --get a.b
git clean -n; git add src/*.ts; git push origin main
for f in src/*.ts; do wc -l "$f"; done
for f; do echo "$f"; done
cat > notes.md <<'E'⏎hi $(x)⏎E
cat > notes.md <<E⏎hi $x⏎E
cat <<-E > a.txt⏎	x⏎	E⏎ls
find . -name '*.ts' -exec grep -l foo {} +
find . -name '*.ts' | xargs -n 1 grep foo
find . | xargs
echo a | xargs -I% cat %
python a.py --x "hello world"
python -m pytest -q tests/test_a.py
python3.11 -B a.py
NODE_ENV=test npx vitest run
npx -c 'npx vitest run'
timeout 9 npm test; nice -n 5 make; nice -5 make; stdbuf --output=L make; env -u A B=1 make; env A=1
timeout -- 9 make; command -v rm; env -i; nohup make; time -p make; command make
pytest -k "a or b"; cargo test --release && go vet ./...
sed -n '1,5p' a.ts; sed 's/a/b/g' a.ts; sed -i 's|a|b|' a.ts; sed -e 1d -e '$d' a.ts
sed '1d;2d' a.ts
awk '{ print $1, length($2) }' a; awk -F , '{ print }' a
if [ -f a ]; then echo yes; elif [ "$a" = b ]; then ls; fi; test -n "$x"; [ "$x" ]; [ a ]
bash -c 'npm test && ls'; sh -eu -o pipefail a.sh; bash -lc ls
cd sub && python a.py; cd sub && make
x=1; y=$(git rev-parse HEAD); echo "$x" ${y} $1 "a\"b" 'c' d\ e
export FOO=bar A; FOO=1 npm test; CI=$x npm test; x=1 y=2
DATABASE_URL=postgres://db/x TZ=Europe/Rome npm test; OUT=/tmp/x
set -euo pipefail; set -x; read -r line; wait; printf '%s' a; exit 1
uv run pytest; uv run -- pytest; uv sync
npx cross-env A=1 npx vitest run
dotenv -e .env -- make
sort -u a | uniq -c
tar xf a.tar
echo hi > notes.md; make
[ ! -f a ]
[ $? -eq 0 ] && ls; [ $# = 1 ]; test ! -n "$x"; [ "x$(ls)" ]
git diff --text; git commit -m "--fix -Ok"; git log --author --x; git push --tags
rg "foo|bar" src | head; node --version && npm --version; npx --version; python3 -V
awk '{ print $1 }' a | sort | uniq -c | sort -rn | head
npm ls | sort
git checkout main && git pull
npm test && git switch x
gcc a.c -o a
unzip a.zip
make -C sub -f sub/a.mk all -j; make -j4 X=1; make --file=a.mk; ruby -r./a b.rb
cargo build --manifest-path sub/Cargo.toml
npm run build --silent -- --config a.js; npx vitest --config x; go test -race ./...; npm i -g x
node --test; node --test a.js; node a.js
./build.sh x; mine build; /usr/bin/make
rm a.txt; docker run -v .:/x img
sed -i 's/a/b/g; s/c/d/' a.ts; sed -n '/a/,/b/p;s|[a-z]|x|2' a; sed 's/a/b/;s/[[:alpha:]]/x/' a
make -j$(nproc); make -j "$(getconf _NPROCESSORS_ONLN)" all; echo $(nproc --all)
cd sub && npm test; npm test
(cd sub && npm test); ls
cd sub/.. && make
cd a && cd ../b && npm run x
cd sub && npm test | tail -5
cd ./sub && pytest -q && cd .. && git status
pytest -k "a /b" --junitxml=out.xml; jest --testNamePattern="GET /users" --config sub/x.js
pytest tests > /dev/null; make X=/dev/null; uvicorn a:b --host 0.0.0.0; playwright test http://localhost:3000
npm i 'x@~1.2.3' @a/b; go test ./... -run TestX/a; cargo test -- --nocapture
python a.py /tmp/out; ./build.sh /tmp/out
python -m json.tool /tmp/a.json; docker run -v /tmp:/x img; rm /tmp/a
gcc -I/usr/include a.c
wget https://a.b/c
gh api https://a.b/c
git -C sub status
! ls; ( ls; ls ) ; { ls; }; while true; do ls; done; ls &
ls # a comment⏎ls
ls \⏎ -l; ls > /dev/null; ls < /dev/null; ls >&2; ls 2>&-; echo $ "$"
npm test |⏎ tee a.log
ls "x\⏎y"; l\s; echo [a-z]*; echo a* ~ {a,b} {}
"""
DOUBTFUL = r"""
x=Xrm; ${x#X} -r d
c=rm sh -c '$c -r d'
echo 'd r- mr' | rev | sh
prlimit rm -r d
make --eval='$(shell rm -r d)'
ssh -o ProxyCommand='rm -r d' x
"$(echo rm)" -r d
`echo rm` -r d
ls `x`; ls
echo "`x`"
$'rm' -r d
echo $((x)); ls
echo $[x]
f() { ls; }; f
f () { ls; }
function f { ls; }
case x in x) ls;; esac
ls;; ls
x=(a b)
(( x = 1 ))
[[ -n x ]]
coproc ls
cat <(ls)
ls > >(cat)
echo "a
echo 'a
ls \
ls $(ls
cat <<E⏎x
cat <<E⏎$(x)⏎E
cat <<$x⏎y⏎E
ls >
ls > $x
ls > /dev/tcp/host/1
ls <> a | sh
for ((i=0;;)); do ls; done
shopt -s x
nowhere x
unlisted x
rimraf d
eval ls
source a.sh
trap ls EXIT
busybox ls
env -S 'ls'
env $x ls
timeout $x ls
timeout -k $x 1 ls
timeout --zz 1 ls
PATH=.:$PATH ls
PS4=x ls
FOO='$(x)' make
CC=/tmp/cc make
JEST_CONFIG=../x jest
env CC=/tmp/cc make
X=file:///tmp/x make
FOO="$x" make
export PATH=x
export "$x"
export a-b
set -- a b
printf -v x a
printf $x
read 'a[$(x)]'
wait -p x
[ -v x ]
[ "$a" "$b" ]
[ a -a $x 'b[$(touch p)]' ]
[ a -a "$x" 'b[$(touch p)]' ]
[ "$x" = 'b[$(touch p)]' ]
[ $x = a ]
[ -n $x ]
test -f *.ts
[ "$@" = a ]
[ a "$x" ]
[ -n {a,$x} ]
[ a "$x" b ]
[ ! a ]
sh < a.sh
sh
sh -c "$x"
sh -i a.sh
echo x | sh -c cat
echo x | ⏎sh
( sh a.sh ) < b
git -c alias.x='!rm' x
git --exec-path=. log
git x
git $x
git add -- *.ts
git rebase --exec make main
git push origin :main
git push -d main
git clean
git config core.pager x
git checkout -f
git rm -r d
git pull ext::sh
rm *.txt
rm "$x"
find . -delete
find . -exec rm {} +
find . -exec sh -c '{}' \;
find . -exec sh -c 'x {}' \;
find . $x
xargs -I% sh -c 'echo %'
xargs rm
xargs -I % sh -c %
xargs --zz ls
python -c 'print(1)'
python - x
python $x
python ../a.py
python /usr/bin/x
python link.py
node -e 1
node
node -r ';' a.js
perl -e 1
awk 'BEGIN { system("x") }'
awk '{ print | "sh" }' a
awk '{ f(1) }' a
awk -f a.awk b
awk 'BEGIN { system\⏎("touch p") }'
open x.command
git init --temp=tpl
git init --t=tpl
git init --sep=x
git grep --op=./x
git grep -e -- -O./x
git ls-remote --upl=./x .
git ls-remote --u ./x .
git fetch --uplo=./x
git push --rec=./x
git push --pru x
git diff --outpu=x
git show --textc
git rebase -m --exec=./x
git apply --build=x a
git merge --str x y
git -C . init --c=x
awk
sed '1e x' a
sed 's/a/b/w c' a
sed --zz p a
sed $x a
sed p $x
npm publish-x
npm run x --prefix ..
npm --prefix .. run x
npm run x --prefix sub
pnpm -r test
cd .. && npm run x
cd link && npm run x
cd a && cd ../.. && npm run x
cd ~/x && npm run x
command cd .. && npm run x
builtin cd .. && npm run x
command cd /tmp && ./x
pushd .. && ./x
pushd sub && popd && ./x
pushd +1 && ./x
cd -P .. && ./x
yarn -C sub run x
npm -Csub run x
npm --prefi=sub run x
npm --workspac=sub run x
pnpm -Csub run x
npm -wsub run x
yarn x --cwd sub
pnpm x -C sub
pnpm x --dir=sub
pnpm test -C sub
npm test -- --prefix=sub
yarn run test --cwd=sub
time cd sub && npm run x
time -p cd sub && npm run x
cd -P sub && npm run x
npm -p test
npm -F test
npm --dir test
pnpm -w test
pnpm -p test
npm -prefix=sub run x
npm ---prefix=sub run x
npm --C=sub run x
npm run x -prefix=sub
npm run x -sC sub
npm run x -sC=sub
pnpm ---dir=sub run x
pnpm --C=sub run x
pnpm -C sub exec npm run x
pnpm -r exec npm run x
npm --otp --prefix=sub run x
npm --prefix=sub --no-prefix run x
pnpm --filter-prod=sub run x
cd sub && pnpm --workspace-root run x
pnpm -sr run x
npm --ws run x
yarn run -T x
command time cd sub && npm run x
env -C sub npm run x
env -Csub npm run x
env --chdir=sub npm run x
find . -execdir npm run x ';'
npm --cwd sub run x
npm -C sub --prefix bad run x
pnpm -C link run x
cd $x && npm run x
cd && make
for x in a b; do cd x; npm test; done
! cd sub && cd .. && npm test
cd sub || cd .. && npm test
cd sub | cd .. && npm test
cd sub; cd .. && npm test
cd /tmp && pytest
cd /tmp && git commit -m x
git -C /tmp/x commit -m x
npm $x
npm config set a b
npx unlisted-package
npx ./a
npx
npx rm x
cross-env PATH=x make
uv run --with x y
dotenv make
rsync -e 'sh x' a b
rsync -ave ./x a b
sort --compress-prog=./x a
sort -k -- --c=./x a
split --filter=./x a
tar -I ./x -xf a.tar
tar xIf ./x a.tar
tar -F./x -xf a.tar
tar --use=./x -xf a.tar
rg --pre ./x foo
rg --pre=./x foo
rg "$x"
rg -*
gcc -wrapper ./x a.c
gcc -fplugin=./x.so a.c
gcc @x
go test -exec ./x ./...
go build -toolexec=./x
go env -w CC=./x
node -r /tmp/x.js a.js
node -r../x.js a.js
ruby -r/tmp/x a.rb
ruby -r
php -d a=b x.php
make -f /tmp/x
make -kf /tmp/x
make --fil=/tmp/x
make --file /tmp/x
make -C ../x
make SHELL=/tmp/x
make -f a*
cargo --config /tmp/x.toml build
npm i --script-shell=./x
npm i --script-s ./x
npm run --node-options=--require=x build
npx --script-shell=./x vitest
wget -e use_askpass=./x y
unzip a.zip && bash a.sh
gunzip a.sh.gz; sh a.sh
wget URL; sh y.sh
git apply x && npm test
git -C . stash pop && make
gcc -o a b.c && ./a
pytest /tmp/x.py
pytest ../x.py
pytest link.py
pytest ~/x.py
pytest -c /tmp/x.ini
pytest -p x --rootdir=/tmp
pytest -o "pythonpath=a /tmp/x"
pytest /dev/stdin
python -m pytest /tmp/x.py
python3 -m unittest discover -s/tmp
python -m pip install /tmp/x
python .venv/bin/x /tmp/y
jest --config /tmp/x
jest --config=file:///tmp/x
npx jest -c/tmp/x
node_modules/.bin/jest --config /tmp/x
node node_modules/jest/bin/jest.js --config /tmp/x
./node_modules/.bin/mocha -r /tmp/x.js
mocha -r../x
vitest --config /tmp/x; ls
vitest run --root /tmp
eslint -c /tmp/x .
eslint --rulesdir=/tmp/x .
mypy --config-file /tmp/x
tox -c /tmp/x
npm test -- --config /tmp/x
npm --prefix=/tmp/x install
npm i /tmp/x
npm i https://a.b/x.tgz
npm i git+ssh://git@a.b/x.git
npm i file:../x
playwright test http://localhost:x@a.b/
pip install git+https://a.b/x
mine --config /tmp/x
go run /tmp/x.go
go test -C/tmp ./...
cargo run --manifest-path=/tmp/Cargo.toml
cmake -P /tmp/x.cmake
gradle -I /tmp/init.gradle
./gradlew -I /tmp/init.gradle
uv --directory /tmp/x sync
docker compose -f /tmp/x.yml up
make -skC/tmp
make CC=/tmp/cc
terraform -chdir=/tmp/x plan
make -j$(echo 4 /tmp/x)
make -j$(nproc /tmp)
sed 's/a/b/; s/c/d/e' a
sed 's/a/b/;w x' a
sed 's/[/]/p;s/a/e x/' a
sed 's/[]/;s/]/x/;e x' a
sed '/[/]/d;s/a/b/;/x/e y' a
tar xf a --to-command=rm
rsync -a --delete a/ b/
make a$x
make -f*
docker run img rm -r x
docker run --cmd=rm x
mine -crm
echo hi > a; sh a
sh a & echo hi > a
sh a | echo hi > a
cp a b && make
echo hi > notes.md; make notes.md
cd .. && ./x
cd /tmp && ./x
cd "$x"; ./x
cd a; cd ..; ./x
/tmp/x
./cross-env make
echo x | ./a
'l s'
a$x
ls | make -f -
in x
mysql x
"""


@pytest.mark.parametrize("text", CERTAIN.strip().splitlines())
def test_what_plain_words_start_is_certain(text):
    assert doubt(text) == ""


@pytest.mark.parametrize("text", DOUBTFUL.strip("\n").splitlines())
def test_there_is_doubt_about_all_else(text):
    assert doubt(text) != ""


@pytest.mark.parametrize(
    "text",
    [
        "ls\u00a0x",
        "$(" * 21 + "ls" + ")" * 21,
        *(f"{wrapper} ls" for wrapper in ["nice -n " + "9" * 30_000, "x" * 200]),
        "make " + "a" * 30_000,
    ],
    ids=["blank", "deep", "long value", "name", "long"],
)
def test_odd_texts_are_doubtful_or_harmless(text):
    assert isinstance(doubt(text), str)


def test_a_shell_in_a_shell_has_an_end():
    text = "ls"
    for _ in range(13):
        text = f"sh -c '{text}'".replace("''", "") if text == "ls" else f"env env {text}"
    assert doubt(text) == ""
    nested = "ls"
    for _ in range(14):
        nested = "sh -c " + '"' + nested.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert "intricate" in doubt(nested)


def test_a_number_of_processors_is_one_where_the_project_does_not_say_it(monkeypatch):
    assert doubt("make -j$(nproc)") == ""
    monkeypatch.setitem(OWN, "nproc", ("node_modules/.bin/nproc",))
    assert "nproc" in doubt("make -j$(nproc)")


def test_variables_that_the_model_sets_are_read():
    assert doubt("make", {"FOO": "1"}) == ""
    assert "LD_PRELOAD" in doubt("make", {"LD_PRELOAD": "x"})
    assert judged("make", env={"LD_PRELOAD": "x"}).doubt


def test_a_denied_command_is_denied_by_either_reader():
    assert judged("rm -r d").action == "deny"
    assert judged("npm test && ls").doubt == ""
    assert judged("x" * 100_001).doubt
    assert judged("(" * 900 + "ls" + ")" * 900).doubt
    assert judged("git status").doubt == ""


def test_what_runs_from_outside_is_not_remembered():
    assert judged("pytest /tmp/x.py").pattern is None
    assert judged("mysql -e x").pattern == "mysql -e x"
    assert judged("mysql -e 'source ../x'").pattern is None


def test_a_script_of_another_folder_is_judged_there():
    scripts = {"sub/": {"test": "jest"}, "bad/": {"test": "x; rm -rf a"}}

    def there(text):
        return judged(text, scripts_of=lambda folder: scripts.get(folder, {}).get)

    assert there("cd sub && npm test").doubt == ""
    assert there("cd bad && npm run test -- x").action == "deny"
    assert there("cd sub; cd ../bad && npm test").doubt
    assert there("( cd bad; npm test ); ls").action == "deny"
    assert "another folder" in judged("cd sub && npm test").doubt


def test_a_script_that_the_project_lacks_is_doubtful():
    assert "no package.json of the project" in judged("npm run nowhere").doubt
    assert "no package.json of the project" in judged("npm start").doubt
    assert "no package.json of the project" in judged("yarn nowhere").doubt
    assert judged("yarn local-tool --x; npm run").doubt == ""


@pytest.mark.parametrize(
    "form",
    [
        "npm --prefix {} test",
        "npm --prefix={} run test",
        "npm -C {} test",
        "npm run test --prefix={}",
        "pnpm -C {} test",
        "pnpm --dir {} run test",
        "yarn --cwd {} test",
        "pushd {} && npm test",
        "cd -L {} && npm test",
        "cd -- {} && npm test",
        "command cd {} && npm test",
        "cd . && npm --prefix {} test",
    ],
)
def test_a_script_is_judged_in_the_folder_that_the_command_enters(form):
    scripts = {"sub/": {"test": "jest"}, "bad/": {"test": "x; rm -rf a"}}

    def there(folder):
        return judged(form.format(folder), scripts_of=lambda name: scripts.get(name, {}).get)

    assert (there("sub").action, there("sub").doubt) == ("ask", "")
    assert there("bad").action == "deny"
    for outside in ("..", "sub/../..", "/tmp", "~", "-", "$x", '"$(x)"'):
        assert there(outside).doubt, outside
