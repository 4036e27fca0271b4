"""The server: an HTTP API to the package, and the web page that uses it.

It needs FastAPI and uvicorn, the extra `web`. Searches run in worker processes (`pool`, `worker`,
`tasks`); the server process validates requests and sends responses (`app`, `routes`, `requests`,
`responses`).
"""
