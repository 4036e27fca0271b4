"""Players of other programs under our contract: what a spec `prefix:text` stands for.

One module a kind, each with its `KIND`; `table` lists them. What goes out, our agents for other
programs, lies in `claimeven.adapters`.
"""
