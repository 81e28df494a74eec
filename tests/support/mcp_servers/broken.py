"""Programs that are no good MCP servers: the argument says how they are bad."""

import sys
import time


def main(how):
    if how == "exit":
        print("no licence found", file=sys.stderr)
        sys.exit(4)
    if how == "silent":
        time.sleep(600)
    if how == "garbage":
        while True:
            print("Loading the model of the world, please wait.", flush=True)
    if how == "banner":
        print("Welcome! This is no JSON.", flush=True)
        time.sleep(600)
    if how == "refusing":
        for line in sys.stdin:
            number = line.partition('"id":')[2].partition(",")[0].strip(" }\n")
            error = '{"code": -32603, "message": "no licence"}'
            print(f'{{"jsonrpc": "2.0", "id": {number or 0}, "error": {error}}}', flush=True)
    if how == "nonsense":
        for line in sys.stdin:
            number = line.partition('"id":')[2].partition(",")[0].strip(" }\n")
            print(f'{{"jsonrpc": "2.0", "id": {number or 0}, "result": 3}}', flush=True)


main(sys.argv[1])
