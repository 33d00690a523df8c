"""A shop of music: lines of invoices belong to whoever has the invoice; tracks are public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

SEED, CUSTOMERS, INVOICES, LINES, TRACKS = 3, 800, 4_000, 16_000, 500
COUNTRIES = ["Brazil", "Canada", "France", "Germany", "India", "USA"]
GENRES = ["Rock", "Jazz", "Metal", "Latin", "Blues", "Classical"]


def _rarely(chance: np.random.Generator, many: int, share: float) -> NDArray[np.bool_]:
    return chance.random(many) < share


def tables() -> dict[str, pa.Table]:
    """Six tables, as in many a sample database."""
    chance = np.random.default_rng(SEED)
    owner = chance.integers(1, CUSTOMERS + 1, INVOICES)
    country = np.array(COUNTRIES)[chance.integers(0, 6, CUSTOMERS)]
    start = np.datetime64("2009-01-01T00:00:00")
    return {
        "Customer": pa.table(
            {
                "CustomerId": np.arange(1, CUSTOMERS + 1),
                "FirstName": [f"first {n % 90}" for n in range(CUSTOMERS)],
                "Country": country,
                "Company": pa.array([f"company {n}" for n in range(CUSTOMERS)], mask=np.arange(CUSTOMERS) % 3 > 0),
                "Email": [f"user{n}@{'gmail.com' if n % 2 else 'example.org'}" for n in range(CUSTOMERS)],
                "SupportRepId": chance.integers(1, 6, CUSTOMERS),
            }
        ),
        "Invoice": pa.table(
            {
                "InvoiceId": np.arange(1, INVOICES + 1),
                "CustomerId": owner,
                "InvoiceDate": (start + chance.integers(0, 5 * 365, INVOICES).astype("timedelta64[D]")).astype(
                    "datetime64[us]"
                ),
                "BillingCountry": country[owner - 1],
                "Total": np.round(0.99 * chance.integers(1, 20, INVOICES), 2),
            }
        ),
        "InvoiceLine": pa.table(
            {
                "InvoiceLineId": np.arange(1, LINES + 1),
                "InvoiceId": chance.integers(1, INVOICES + 1, LINES),
                "TrackId": chance.integers(1, TRACKS + 1, LINES),
                "UnitPrice": np.where(_rarely(chance, LINES, 0.8), 0.99, 1.99),
                "Quantity": chance.integers(1, 4, LINES),
            }
        ),
        "Track": pa.table(
            {
                "TrackId": np.arange(1, TRACKS + 1),
                "Name": [f"track {n}" for n in range(TRACKS)],
                "GenreId": np.arange(TRACKS) % 6 + 1,
                "Milliseconds": 100_000 + np.arange(TRACKS) * 500,
            }
        ),
        "Genre": pa.table({"GenreId": np.arange(1, 7), "Name": GENRES}),
        "Employee": pa.table(
            {
                "EmployeeId": np.arange(1, 6),
                "LastName": ["Adams", "Edwards", "Peacock", "Park", "Johnson"],
                "Title": ["Manager", "Manager", "Agent", "Agent", "Agent"],
            }
        ),
    }


COLUMNS: dict[str, dict[str, Any]] = {
    "Customer": {
        "CustomerId": {"type": "integer"},
        "FirstName": {"type": "text"},
        "Country": {"type": "text", "values": COUNTRIES},
        "Company": {"type": "text"},
        "Email": {"type": "text", "length": 40},
        "SupportRepId": {"type": "integer", "bounds": [1, 5]},
    },
    "Invoice": {
        "InvoiceId": {"type": "integer"},
        "CustomerId": {"type": "integer"},
        "InvoiceDate": {"type": "timestamp", "bounds": ["2009-01-01", "2013-12-31 23:59:59"]},
        "BillingCountry": {"type": "text", "values": COUNTRIES},
        "Total": {"type": "number", "bounds": [0, 30], "step": 0.01},
    },
    "InvoiceLine": {
        "InvoiceLineId": {"type": "integer"},
        "InvoiceId": {"type": "integer"},
        "TrackId": {"type": "integer"},
        "UnitPrice": {"type": "number", "bounds": [0, 2], "step": 0.01},
        "Quantity": {"type": "integer", "bounds": [1, 10]},
    },
    "Track": {},
    "Genre": {},
    "Employee": {},
}
RULES: dict[str, dict[str, Any]] = {
    "Customer": {"unit": "CustomerId", "contribution": 1, "key": "CustomerId"},
    "Invoice": {"unit": "CustomerId", "contribution": 60, "key": "InvoiceId"},
    "InvoiceLine": {"unit": "InvoiceId -> Invoice.CustomerId", "contribution": 300},
    "Track": {"public": True, "key": "TrackId"},
    "Genre": {"public": True, "key": "GenreId"},
    "Employee": {"public": True, "key": "EmployeeId"},
}
REASONS: dict[str, str] = {
    "q38": "a condition on rows that rests on a noisy average: asked in two steps, which the hint spells out",
}
