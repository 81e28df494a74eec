"""Files with many global names."""

import time


def test_a_large_script_is_judged_once_and_not_for_each_of_its_names(make_index):
    names = [f"v{number}" for number in range(200)]
    script = "interface Box { put(): void }\n" + "".join(f"declare var {n}: Box\n" for n in names)
    module = "export {}\n" + "".join(f"{name}.put()\n" for name in names)
    taken_s = []
    for text in (script, script + "// much to read\n" * 50_000):
        index, _ = make_index({"g.d.ts": text, "m.ts": module})
        began_s = time.process_time()
        found = index.uses("Box.put", limit=None)
        taken_s.append(time.process_time() - began_s)
        assert found.total == len(names) + 1
    assert taken_s[1] < 5 * taken_s[0]
