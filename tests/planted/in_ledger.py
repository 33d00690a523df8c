"""Bugs in the path of a question, and in the account."""

from tests.planted.bug import Bug

_LEDGER = "unit/ledger/test_ledger.py"
_TAMPERING = "flows/test_ledger_tampering.py"
_SAME = "flows/test_same_question.py"
_PRODUCT = "flows/test_product.py"
_SERVICE = "adversary/test_service.py"

_CHARGE = "            ticket = self.ledger.charge(charge, accounts)\n"
_RUN = """            noisy: list[pa.Table] = []
            for step in purchase.rounds(noisy):
                exact = [self.engine.run(query) for query in step.queries]
                noisy.append(step.add_noise(exact))
"""

BUGS = (
    Bug(
        "charge after run",
        "curator/ask.py",
        _CHARGE + _RUN,
        _RUN + _CHARGE,
        ("flows/test_questions.py", _SERVICE, _PRODUCT),
    ),
    Bug(
        "the same question at once is not waited for",
        "curator/ask.py",
        "with self.ledger.turn(charge.question):",
        "if charge.question:",
        (_SAME, "flows/test_locks.py", _PRODUCT),
    ),
    Bug(
        "a changed file is the same question",
        "curator/ask.py",
        '[purchase.digest, self.policy.digest, *versions]',
        "[purchase.digest, self.policy.digest]",
        ("adversary/test_service.py::test_72_changed_data_are_charged_again", "flows/test_questions.py", _PRODUCT),
    ),
    Bug(
        "another policy is the same question",
        "curator/ask.py",
        '[purchase.digest, self.policy.digest, *versions]',
        "[purchase.digest, *versions]",
        ("adversary/test_service.py::test_70_another_policy_is_another_question", "flows/test_identity.py", _PRODUCT),
    ),
    Bug(
        "only the first statistic gets noise",
        "curator/noise.py",
        "            totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)",
        "            if part is plan.noise[0]:\n"
        "                totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)",
        ("unit/curator/test_noise.py", "statistics/test_intervals.py", "unit/audit/test_questions.py"),
    ),
    Bug(
        "columns share their noise",
        "curator/noise.py",
        "            totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)",
        "            first = plan.noise[0]\n"
        "            if part is not first and part.mechanism == first.mechanism:\n"
        "                totals[name] = totals[name] + shared\n"
        "                continue\n"
        "            before = totals[name]\n"
        "            totals[name] = np.asarray(part.mechanism.release(before), dtype=np.int64)\n"
        "            shared = totals[name] - before",
        ("unit/curator/test_noise.py", "unit/audit/test_questions.py"),
    ),
    Bug(
        "every private key is shown",
        "curator/noise.py",
        "kept = ordered.filter(pa.array(plan.selection.keep(units))) if units.size else ordered",
        "kept = ordered",
        ("adversary/test_sql.py::test_51_rare_keys_stay_hidden", "unit/curator/test_noise.py", "unit/audit/test_questions.py"),
    ),
    Bug(
        "private keys in the order of the data",
        "curator/noise.py",
        'ordered = exact.sort_by([(name, "ascending") for name in names])',
        "ordered = exact",
        ("unit/curator/test_noise.py", "flows/test_questions.py", "adversary/test_sql.py"),
    ),
    Bug(
        "groups that nobody is in are left out",
        "curator/noise.py",
        "    return all_groups(plan.bound.keys), totals\n",
        "    groups = all_groups(plan.bound.keys)\n"
        "    there = np.array([any(column) for column in zip(*totals.values())], dtype=np.bool_)\n"
        "    if not groups or not totals:\n"
        "        return groups, totals\n"
        "    return ({name: group.filter(pa.array(there)) for name, group in groups.items()},\n"
        "            {name: column[there] for name, column in totals.items()})\n",
        ("flows/test_questions.py", "adversary/test_values.py", "unit/curator/test_noise.py"),
    ),
    Bug(
        "an analyst's share does not pay",
        "ledger/ledger.py",
        "totals = {account.name: pay(account, standing.spent(account.name), charge.loss) for account in accounts}",
        "totals = {account.name: pay(account, standing.spent(account.name), charge.loss) for account in accounts[:1]}",
        (_SAME, _LEDGER, _PRODUCT),
    ),
    Bug(
        "recorded answers are free for everybody",
        "ledger/ledger.py",
        "return [account for account in accounts if not past.has_seen(account.name, charge.question)]",
        "return [account for account in accounts if not account.name]",
        (_SAME, _PRODUCT),
    ),
    Bug(
        "the cap is looked at before, not after",
        "ledger/payment.py",
        "if admitted.admits(total):",
        "if admitted.admits(spent):",
        ("unit/ledger/test_payment.py", _LEDGER, _SAME),
    ),
    Bug(
        "losses below zero",
        "ledger/charge.py",
        "if any(form < 0 for form in _forms(self.loss)):",
        "if any(form is None for form in _forms(self.loss)):",
        ("unit/ledger/test_charge.py", _LEDGER),
    ),
    Bug(
        "sums rounded down",
        "ledger/sums.py",
        "return Fraction(ceil(number * (1 << _STEP)), 1 << _STEP)",
        "return Fraction(int(number * (1 << _STEP)), 1 << _STEP)",
        ("unit/ledger/test_sums.py", "unit/ledger/test_charge.py", _LEDGER),
    ),
    Bug(
        "totals in entries are believed",
        "ledger/balances.py",
        "if not totals or any(loss_to_json(total) != body[\"totals\"][name] for name, total in totals.items()):",
        "if not totals:",
        (_TAMPERING, "unit/ledger/test_balances.py"),
    ),
    Bug(
        "shown at any price",
        "ledger/balances.py",
        'return loss == past.price(body["question"]) and self._paid(loss, body)',
        "return self._paid(loss, body)",
        ("unit/ledger/test_balances.py", _TAMPERING, "unit/ledger/test_records.py"),
    ),
    Bug(
        "an answer to another question",
        "ledger/balances.py",
        'if paid is None or link.payload is None or paid.question != body["question"]:',
        "if paid is None or link.payload is None:",
        ("unit/ledger/test_balances.py", _TAMPERING, "unit/ledger/test_records.py"),
    ),
    Bug(
        "checkpoints are believed",
        "ledger/balances.py",
        "return link == self.checkpoint()",
        "return True",
        ("unit/ledger/test_records.py", _TAMPERING, "unit/ledger/test_balances.py"),
    ),
    Bug(
        "digests are believed",
        "ledger/entry.py",
        "return self.digest == _digest(self.previous, self.sequence, self.kind, self.body, self.payload)",
        "return bool(self.digest)",
        (_TAMPERING, "unit/ledger/test_records.py", _SERVICE),
    ),
    Bug(
        "an older copy is served",
        "ledger/chain.py",
        "if anchored.sequence > self._standing.head.sequence:",
        "if anchored.sequence < 0:",
        (_TAMPERING, _LEDGER, _SERVICE),
    ),
    Bug(
        "the anchor stays behind",
        "ledger/chain.py",
        "            self._anchor.write(self._standing.head)\n",
        "            self._anchor.read()\n",
        (_TAMPERING, _LEDGER, _PRODUCT),
    ),
    Bug(
        "the first write does not lock",
        "ledger/storage/sqlite.py",
        'WRITE = "BEGIN IMMEDIATE"',
        'WRITE = "BEGIN"',
        ("flows/test_ledger_races.py", "unit/ledger/storage/test_sqlite.py", _SERVICE),
    ),
    Bug(
        "processes do not take turns",
        "ledger/turns.py",
        "fcntl.lockf(held.file, fcntl.LOCK_EX, 1, offset)",
        "fcntl.lockf(held.file, fcntl.LOCK_SH, 1, offset) if False else None",
        (_SAME, "flows/test_locks.py"),
    ),
    Bug(
        "threads do not take turns",
        "ledger/turns.py",
        "            with lock:\n                yield\n",
        "            if lock:\n                yield\n",
        (_SAME, "flows/test_locks.py"),
    ),
    Bug(
        "a changed policy is served",
        "ledger/ledger.py",
        "if found := changes(standing.terms[-1], terms):",
        "if found := changes(terms, terms):",
        ("flows/test_policy_changes.py", _PRODUCT),
    ),
    Bug(
        "a handle from before a change goes on charging",
        "ledger/ledger.py",
        "        def compose(_: Records, standing: Standing) -> Link:\n            if standing.policy != charge.policy:",
        "        def compose(_: Records, standing: Standing) -> Link:\n            if not standing:",
        ("flows/test_policy_changes.py", _PRODUCT),
    ),
    Bug(
        "delta may move from a full sum to another",
        "policy/terms.py",
        "Weight.NEVER if down else Weight.RAISE",
        "Weight.PLAIN if down else Weight.RAISE",
        ("flows/test_policy_changes.py", "unit/policy/test_terms.py"),
    ),
    Bug(
        "neighbours may change on a ledger that has spent",
        "policy/terms.py",
        "{new['neighbours']}\", Weight.NEVER)",
        "{new['neighbours']}\", Weight.PLAIN)",
        ("flows/test_policy_changes.py", "unit/policy/test_terms.py"),
    ),
    Bug(
        "a raise passes for a plain change",
        "ledger/ledger.py",
        "if change.weight is Weight.RAISE and spent and not raising:",
        "if change.weight is Weight.RAISE and not spent and not raising:",
        ("flows/test_policy_changes.py", _PRODUCT),
    ),
    Bug(
        "a second account on the same data",
        "ledger/registry.py",
        "if others and not holding.reason.strip() and not here.exists():",
        "if others and not here:",
        ("flows/test_one_account.py", _PRODUCT),
    ),
    Bug(
        "a copy of the data is other data",
        "ledger/registry.py",
        """return not self.sources.keys().isdisjoint(other.sources) or not set(self.sources.values()).isdisjoint(
            other.sources.values()
        )""",
        "return not self.sources.keys().isdisjoint(other.sources)",
        ("flows/test_one_account.py", "unit/ledger/test_registry.py"),
    ),
    Bug(
        "an analyst's delta is the population's",
        "core/cap.py",
        "approximate=self.approximate * ratio,",
        "approximate=self.approximate * min(1, 2 * ratio),",
        ("unit/core/test_cap.py", "unit/policy/test_policy.py"),
    ),
)
