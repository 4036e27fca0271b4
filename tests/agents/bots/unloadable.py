"""Cannot be loaded, by something that is no usual exception."""


class Odd(BaseException):
    """Ends whatever does not look out."""


raise Odd("not me")
