"""The assistant for editors and chat panels: an agent of the Agent Client Protocol.

A client starts ``ipuaro acp`` and speaks JSON-RPC with it on standard input and output. In: the
client's requests. Out: the events of a turn as updates, and proposals as requests for permission.

Doors: ``acp_service`` with `serve`; ``chat_persona`` for JupyterLab's chat.
"""
