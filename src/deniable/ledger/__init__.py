"""What was spent and what was answered: on disk before anything is read, tied line to line by digests."""

from deniable.ledger.charge import Charge, Ticket
from deniable.ledger.entry import Entry, Head
from deniable.ledger.ledger import Ledger
from deniable.ledger.lists import Holding
from deniable.ledger.move import move
from deniable.ledger.registry import claimed, note

__all__ = ["Charge", "Entry", "Head", "Holding", "Ledger", "Ticket", "claimed", "move", "note"]
