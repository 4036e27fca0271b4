"""`python -m claimeven`: the command line."""

from claimeven.cli.main import main

if __name__ == "__main__":
    main()
