"""A made-up clinic for demonstrations: patients, their visits, and the hospitals; skewed as real ones are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

REGIONS = ("north", "east", "south", "west")
_PATIENTS = 120_000
_REASONS = ("checkup", "injury", "infection", "heart", "diabetes", "allergy", "maternity", "mental health")
_RARE = ("snake bite", "plague", "acute boredom")

POLICY = """\
# What analysts may ask about the clinic, and how much may be lost about any one patient.
# Change a bound, then: deniable check clinic.toml

[population]
name = "clinic"
neighbours = "add-remove"        # a patient more or less; or "replace"

[budget]
epsilon = 3.0                    # for all analysts together, for ever
delta = 1e-6
delta_for_keys = 2e-7            # of that, for showing group keys that are private

[engine]
kind = "duckdb"

[ledger]
url = "sqlite:///clinic.ledger"

[tables.visits]
source = "visits.parquet"
unit = "patient_id"              # whom we protect: a patient, with all visits
contribution = 25                # the most one patient may weigh, in visits
keys = 6                         # in how many groups one patient counts where keys are private

[tables.visits.columns]
patient_id = { type = "integer" }
age        = { type = "integer", bounds = [0, 110], nulls = false }
cost       = { type = "number",  bounds = [0, 2000], step = 0.01, nulls = false }
region     = { type = "text",    values = ["north", "east", "south", "west"], nulls = false }
reason     = { type = "text" }   # values unknown: rare ones stay hidden
day        = { type = "date",    bounds = ["2025-01-01", "2025-12-31"], nulls = false }
hospital   = { type = "integer", bounds = [1, 24], nulls = false }
emergency  = { type = "boolean", nulls = false }

[tables.patients]
source = "patients.parquet"
unit = "patient_id"
contribution = 1

[tables.patients.columns]
patient_id = { type = "integer" }
age        = { type = "integer", bounds = [0, 110], nulls = false }
region     = { type = "text",    values = ["north", "east", "south", "west"], nulls = false }
smoker     = { type = "boolean", nulls = false }

[tables.hospitals]
source = "hospitals.csv"
public = true

[tables.hospitals.columns]
hospital = { type = "integer", bounds = [1, 24] }
city     = { type = "text" }
beds     = { type = "integer", bounds = [0, 5000] }
"""


def make_clinic(folder: Path) -> int:
    """Write the clinic's files and its policy into a folder; how many visits there are."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(20250101)  # simulated people: no one's privacy hangs on this generator
    patient = np.arange(1, _PATIENTS + 1)
    age = np.clip(chance.gamma(6, 7.5, _PATIENTS), 0, 109).astype(np.int64)
    region = chance.choice(4, _PATIENTS, p=[0.42, 0.28, 0.2, 0.1])
    smoker = chance.random(_PATIENTS) < np.where(np.abs(age - 44) < 26, 0.24, 0.06)  # noqa: PLR2004 - 19 to 69
    pq.write_table(
        pa.table({"patient_id": patient, "age": age, "region": np.array(REGIONS)[region], "smoker": smoker}),
        folder / "patients.parquet",
    )
    visits = np.minimum(1 + chance.negative_binomial(0.8, 0.8 / (0.8 + 3 + age / 9)), 400)
    row = np.repeat(np.arange(_PATIENTS), visits)
    reason = np.array(_REASONS)[chance.choice(len(_REASONS), row.size, p=[0.3, 0.14, 0.2, 0.1, 0.1, 0.08, 0.04, 0.04])]
    reason = reason.astype(object)
    reason[chance.choice(row.size, 40, replace=False)] = _RARE[2]
    reason[:3] = _RARE[0]
    reason[3] = _RARE[1]
    table = pa.table(
        {
            "patient_id": patient[row],
            "age": age[row],
            "cost": np.round(np.exp(chance.normal(4.4, 0.9, row.size)) * (1 + age[row] / 90), 2),
            "region": np.array(REGIONS)[region[row]],
            "reason": pa.array(reason, type=pa.string()),
            "day": pa.array(20089 + chance.integers(0, 365, row.size), type=pa.int32()).cast(pa.date32()),
            "hospital": 1 + chance.integers(0, 6, row.size) + 6 * region[row],
            "emergency": chance.random(row.size) < 0.12,  # noqa: PLR2004 - one visit in eight
        }
    ).take(pa.array(chance.permutation(row.size)))
    pq.write_table(table, folder / "visits.parquet")
    cities = [f"{REGIONS[number // 6]}-{'abcdef'[number % 6]}" for number in range(24)]
    beds = chance.integers(80, 900, 24)
    hospitals = pa.table({"hospital": np.arange(1, 25), "city": cities, "beds": beds})
    pyarrow.csv.write_csv(hospitals, folder / "hospitals.csv")
    (folder / "clinic.toml").write_text(POLICY)
    return int(row.size)


def point(folder: Path, engine: str, sources: Mapping[str, str]) -> None:
    """Let the policy name another engine, in TOML, and each table's place there."""
    policy = folder / "clinic.toml"
    text = policy.read_text().replace('kind = "duckdb"', engine)
    for table, source in sources.items():
        for file in (f"{table}.parquet", f"{table}.csv"):
            text = text.replace(f'source = "{file}"', f'source = "{source}"')
    policy.write_text(text)
