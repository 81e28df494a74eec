"""Replies of models that repeat themselves until their window is full, and how they are read."""

from ipuaro_jupyter.llm.text_calls.reply_parser import StreamParser

LINES = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
ENDLESS = {
    "open tags": '<tool_call name="create_file"><path>a</path><content>' + "<b>x</b>\n" * 5000,
    "calls in content": '<tool_call name="create_file"><content>' + LINES * 900,
    "ends in content": '<tool_call name="create_file"><content>' + "</content> </tool_call>" * 2000,
    "no tag": "<tool_call " * 4000,
    "glued": "<tool_call" * 4000,
    "nameless": "<tool_call>" * 4000,
    "open names": '<tool_call name="' * 2500,
    "attributes": '<tool_call name="a" ' + 'b="c" ' * 7000,
    "blanks": "<tool_call " + " " * 40_000,
    "ends of CDATA": '<tool_call name="create_file"><content><![CDATA[' + "]]></content>" * 3000,
    "open JSON": '{"name": "get_lines", ' * 2000,
    "open JSON names": '{"name": "get_lines" ' * 2000,
    "open arguments": '{"arguments": ' * 3000,
    "types": '{"type": "a", ' * 3000,
    "JSON text": '{"name": "create_file", "arguments": {"content": "' + '\\"a\\" {\\n' * 4000,
    "JSON calls": '{"name": "get_lines", "arguments": {}}\n' * 1000,
    "loose JSON": "{'name': 'get_lines', 'arguments': " * 1000,
    "deep list": '<tool_call>[{"tool_calls": ' + "[" * 5000 + "]" * 5000 + "}]</tool_call>",
    "deep call": '{"tool": "git_status", "args": ' + '{"function": ' * 900 + "1" + "}" * 901,
    "thinking": "<think>" + "a < b " * 5000,
    "thoughts": "<think>" * 3000 + "</think>" * 3000,
    "lone thoughts": "a</think>" * 4000,
    "quoted thoughts": "```\n" + "<think>" * 5000,
    "spans": "`<think>" * 4000,
    "angles": "<" * 40_000,
    "backticks": "`" * 40_000,
    "code": "`a" * 15_000,
    "fences": "```a " * 7000,
    "braces": "[{" * 20_000,
    "channels": "<|channel|>" * 2000,
    "headers": "<|channel|>a " * 2000,
    "lists": "[TOOL_CALLS]" * 3000,
    "open lists": "[TOOL_CALLS]get_lines[ARGS]{" * 1500,
    "functions": "<function=get_lines>" * 2000,
    "wrappers": "<tools> {" * 4000,
    "spoken of": "<tool_call> is a tag, " * 2000,
    "open Python": "get_lines(" * 4000,
    "Python calls": 'get_lines(path="a.ts")\n' * 1500,
    "Python lists": "[get_lines(" * 4000,
    "printed": "print(" * 6000,
    "Python text": 'create_file(path="a", content="' + 'a \\"b\\" (\n' * 4000,
    "triple quotes": 'create_file(path="a", content="""' + 'a ""b"" (\n' * 4000,
    "Python in a fence": '```python\nget_lines("' + "a` ``b\n" * 4000,
    "tool code": "```tool_code\nget_lines(" + "```\n" * 8000,
    "tool codes": "```tool_code\nx\n```\n" * 1500,
    "names": "get_lines\n" * 4000,
    "named objects": 'get_lines {"path": ' * 2000,
    "tool tags": "<get_lines><path>" * 2000,
    "closed tool tags": "<get_lines><path>a</path></get_lines>\n" * 1000,
    "tools": '<tool name="get_lines"><path>' * 1200,
    "actions": "Action: get_lines\n" * 2000,
    "inputs": "Action: get_lines\nAction Input: " * 1200,
    "action text": 'Action: create_file\nAction Input: {"content": "' + "a\\n{ " * 5000,
    "argument keys": "<tool_call>get_lines<arg_key>path</arg_key><arg_value>" * 700,
    "argument values": "<tool_call>get_lines<arg_key>a</arg_key><arg_value>"
    + "</arg_value>a" * 2500,
    "separators": "<tool_call>get_lines<tool_sep>" * 1300,
    "gemma": "<start_function_call>call:get_lines{path:<escape>" * 800,
    "gemma text": '<|tool_call>call:create_file{content:<|"|>' + "a{ <escape> " * 3000,
    "announced": "<|tool_call_start|>" * 2000,
    "sections": "<|tool_calls_section_begin|><|tool_call_begin|>" * 800,
    "deepseek": "<|tool_call_begin|>function<|tool_sep|>" * 1000,
    "channels without marks": "assistantcommentary to=functions.get_lines json{" * 800,
    "analysis without marks": "analysis" + "assistantanalysis a assistantfinal" * 1000,
    "results": LINES + "<tool_result" + "<tool_result>" * 3000,
    "results without a call": "<tool_result>\nObservation: a\n" * 1500,
    "keyed": '{"get_lines": ' * 3000,
    "loose text": "{'name': 'create_file', 'arguments': {'content': 'it\\'s // \n" + "a /* " * 5000,
    "comments": '{"name": "get_lines", ' + "// {\n" * 6000,
    "strays": '{"name": "get_lines", "arguments": {}}' + "} ] " * 8000,
    "marks in JSON": '{"name": "get_lines", "arguments": {}<' * 1000,
}
NESTED = {
    "data": lambda n: '{"name": "get_lines" x ' * n + "} " * n,
    "loose JSON": lambda n: "{'name': 'get_lines', 'arguments': " * n + "} " * n,
    "loose JSON after a call": lambda n: LINES + "{name: 'cat', args: " * n + "} " * n,
    "thoughts after text": lambda n: "`a` " * n + LINES + "<think>" * n + "</think>" * n,
    "thoughts with data": lambda n: "<think>" * n + '{"name": "get_lines" x </think>' * n,
    "data in wrappers": lambda n: '<tools>{"arguments": x ' * n + "} " * n,
    "spans": lambda n: '{"name": "get_lines" x `a </think> b` ' * n,
    "parameters": lambda n: (
        '<tool_call name="search">' + "".join(f"<p{i}>x</p{i}>" for i in range(n)) + "</tool_call>"
    ),
}


def fed(schemas, aliases, text, size=1, **options):
    """Feed a text in parts of one size; return the parser and the pieces."""
    parser = StreamParser(schemas, aliases=aliases, **options)
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    pieces = [piece for part in parts for piece in parser.feed(part)]
    return parser, pieces + parser.finish()
