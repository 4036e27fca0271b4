"""The server: an HTTP API on everything the package knows, and the page that uses it.

It needs FastAPI and uvicorn, the extra `web`. Searches run in worker processes (`pool`, `worker`,
`tasks`); the server itself reads, checks and answers (`app`, `routes`, `schemas`).
"""
