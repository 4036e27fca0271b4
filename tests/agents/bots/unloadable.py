"""Cannot be loaded, by an unusual exception."""


class Odd(BaseException):
    """Ends a process that does not catch it."""


raise Odd("not me")
