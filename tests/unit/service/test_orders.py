"""Settings of releases outlive the server: the file holds what a custodian wrote, and nothing else."""

import json

from deniable.service.orders import Order, OrderFile

PROFILE = Order("profile", "bob", {"rho": "0.02", "delta": ""})
WORKLOAD = Order("workload", "", {"epsilon": "0.5"}, (), "", 'table = "visits"\n# Grüße \ud800')


def test_an_order_is_found_by_whoever_opens_the_file_next_and_the_last_comes_first(tmp_path):
    path = tmp_path / "clinic.orders"
    for order in (PROFILE, WORKLOAD, PROFILE):
        OrderFile(path).keep(order)
    found = OrderFile(path).all()
    assert list(found) == [PROFILE.digest, WORKLOAD.digest]
    assert found[WORKLOAD.digest] == WORKLOAD
    assert found[PROFILE.digest].spending == {"rho": "0.02"}
    assert path.stat().st_mode & 0o077 == 0


def test_other_settings_are_another_order_and_another_reason_is_not():
    assert Order("anonymized", reason="one").digest == Order("anonymized", reason="two").digest
    assert len({one.digest for one in (PROFILE, WORKLOAD, Order("profile", "alice", {"rho": "0.02"}))}) == 3


def test_the_reason_is_not_kept_and_the_oldest_go(tmp_path):
    orders = OrderFile(tmp_path / "clinic.orders")
    for rows in range(60):
        orders.keep(Order("synthetic", rows=str(rows), reason="between us"))
    found = list(orders.all().values())
    assert len(found) == 50
    assert found[0].rows == "59"
    assert "between us" not in (tmp_path / "clinic.orders").read_text()


def test_a_file_that_is_spoiled_is_an_empty_one(tmp_path):
    path = tmp_path / "clinic.orders"
    for text in ("", "{", "[1]", json.dumps([{"kind": "profile"}]), json.dumps([{**PROFILE.settings, "tables": 3}])):
        path.write_text(text)
        assert OrderFile(path).all() == {}
