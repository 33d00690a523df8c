"""`python -m deniable`."""

from deniable.apps.cli import main

main()
