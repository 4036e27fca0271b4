"""The server: an HTTP API to the package, and the web page that uses it.

It needs the extra `web`, FastAPI and uvicorn. Searches run in worker processes (`pool`, `tasks`).
The server process validates requests and sends answers (`app`, `routes`, `requests`, `responses`).
"""
