"""Prints a gigabyte over the first move it makes."""

MEGABYTES = [1024]


def agent(position):
    text = (63 * "x" + "\n") * 2**18
    while MEGABYTES[0]:
        print(end=text)
        MEGABYTES[0] -= 16
    return position.legal_columns[0]
