"""The agents of the package, one module a family, each with its kinds (`KINDS`)."""
