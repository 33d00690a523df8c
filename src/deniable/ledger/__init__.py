"""What was spent and what was answered: on disk before anything is read, tied line to line by digests."""

from deniable.ledger.accounts.lists import Holding
from deniable.ledger.accounts.move import move
from deniable.ledger.accounts.registry import claimed, note
from deniable.ledger.charge import Charge, Ticket
from deniable.ledger.entries.entry import Entry, Head
from deniable.ledger.ledger import Ledger
from deniable.ledger.look import Balances

__all__ = ["Balances", "Charge", "Entry", "Head", "Holding", "Ledger", "Ticket", "claimed", "move", "note"]
