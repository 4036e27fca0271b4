"""The sections of exported submissions: plain Python, and NumPy for nets.

Each module here is one section of a submission (`export` removes the imports between them). The
modules import only each other, and no two of them define the same name.
"""
