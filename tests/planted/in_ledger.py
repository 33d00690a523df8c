"""Bugs in the path of a question, and in the account."""

from tests.planted.bug import Bug

BUGS = (
    Bug(
        "charge after run",
        "curator/buy.py",
        (
            "                ticket = self.ledger.charge(charge, accounts)\n"
            "                self.on_charge(charge.question, ticket.sequence)\n"
            "                noisy: list[pa.Table] = []\n"
            "                for step in purchase.rounds(noisy):\n"
            "                    exact = [step.kept(engine.run(query)) for query in step.queries]\n"
            "                    noisy.append(step.add_noise(exact))\n"
        ),
        (
            "                noisy: list[pa.Table] = []\n"
            "                for step in purchase.rounds(noisy):\n"
            "                    exact = [step.kept(engine.run(query)) for query in step.queries]\n"
            "                    noisy.append(step.add_noise(exact))\n"
            "                ticket = self.ledger.charge(charge, accounts)\n"
        ),
        (
            "flows/test_questions.py::test_the_charge_is_on_disk_before_the_engine_runs",
            "unit/curator/test_workloads.py::test_the_charge_is_on_disk_before_a_row_is_read",
        ),
    ),
    Bug(
        "the same question at once is not waited for",
        "curator/buy.py",
        "with self.ledger.turn(charge.question), within(self.policy.engine.seconds):",
        "with within(self.policy.engine.seconds):",
        (
            "flows/test_locks.py::test_who_asks_the_same_meanwhile_waits_for_the_answer",
            "flows/test_same_question.py::test_six_threads_that_ask_the_same_pay_once",
        ),
    ),
    Bug(
        "a changed file is the same question",
        "curator/buy.py",
        "[purchase.digest, facts, *versions]",
        "[purchase.digest, facts]",
        (
            "flows/test_questions.py::test_changed_data_is_a_new_question_on_the_old_budget",
            "adversary/test_service.py::test_72_changed_data_are_charged_again",
        ),
    ),
    Bug(
        "another policy is the same question",
        "curator/buy.py",
        "[purchase.digest, facts, *versions]",
        "[purchase.digest, *versions]",
        (
            "adversary/test_service.py::test_70_another_policy_is_another_question",
            "unit/curator/test_profiling.py::test_whose_rows_they_are_and_how_they_are_read_is_part_of_every_name",
        ),
    ),
    Bug(
        "only the first statistic gets noise",
        "curator/noise.py",
        "            totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)",
        (
            "            if part is plan.noise[0]:\n"
            "                totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)"
        ),
        (
            "unit/curator/test_noise.py::test_columns_of_equal_noise_are_independent",
            "unit/audit/test_questions.py::test_honest_questions_pass",
        ),
    ),
    Bug(
        "columns share their noise",
        "curator/noise.py",
        "            totals[name] = np.asarray(part.mechanism.release(totals[name]), dtype=np.int64)",
        (
            "            first = plan.noise[0]\n"
            "            if part is not first and part.mechanism == first.mechanism:\n"
            "                totals[name] = totals[name] + shared\n"
            "                continue\n"
            "            before = totals[name]\n"
            "            totals[name] = np.asarray(part.mechanism.release(before), dtype=np.int64)\n"
            "            shared = totals[name] - before"
        ),
        (
            "unit/curator/test_noise.py::test_columns_of_equal_noise_are_independent",
            "unit/audit/test_questions.py::test_honest_questions_pass",
        ),
    ),
    Bug(
        "every private key is shown",
        "curator/noise.py",
        "kept = ordered.filter(pa.array(plan.selection.keep(units))) if units.size else ordered",
        "kept = ordered",
        (
            "adversary/test_sql.py::test_51_rare_keys_stay_hidden",
            "unit/curator/test_noise.py::test_private_keys_have_an_order_that_is_not_the_data_s",
            "unit/audit/test_questions.py::test_honest_questions_pass",
        ),
    ),
    Bug(
        "private keys in the order of the data",
        "curator/noise.py",
        'ordered = exact.sort_by([(name, "ascending") for name in names])',
        "ordered = exact",
        (
            "unit/curator/test_noise.py::test_private_keys_have_an_order_that_is_not_the_data_s",
            "conformance/test_made_up.py",
        ),
    ),
    Bug(
        "an analyst's share does not pay",
        "ledger/ledger.py",
        "return {account.name: pay(account, standing.spent(account.name), loss) for account in accounts}, written",
        "return {account.name: pay(account, standing.spent(account.name), loss) for account in accounts[:1]}, written",
        (
            "unit/ledger/test_ledger.py::test_every_account_pays_or_none_does",
            "flows/test_same_question.py::test_a_share_pays_for_what_its_analyst_is_shown_and_the_population_does_not_pay_again",
        ),
    ),
    Bug(
        "recorded answers are free for everybody",
        "ledger/ledger.py",
        "return [account for account in accounts if not past.has_seen(account.name, charge.question)]",
        "return [account for account in accounts if not account.name]",
        (
            "flows/test_same_question.py::test_answers_that_a_share_cannot_pay_are_not_shown",
            "unit/ledger/test_ledger.py::test_who_is_shown_an_answer_pays_what_it_cost_once",
        ),
    ),
    Bug(
        "the cap is looked at before, not after",
        "ledger/payment.py",
        "if admitted.admits(total):",
        "if admitted.admits(spent):",
        (
            "unit/ledger/test_payment.py",
            "unit/ledger/test_ledger.py::test_every_account_pays_or_none_does",
        ),
    ),
    Bug(
        "losses below zero",
        "ledger/charge.py",
        "if any(form < 0 for form in _forms(self.loss)):",
        "if any(form is None for form in _forms(self.loss)):",
        (
            "unit/ledger/test_charge.py::test_a_loss_below_zero_would_give_budget_back",
            "unit/ledger/test_ledger.py::test_nothing_gives_budget_back",
        ),
    ),
    Bug(
        "sums rounded down",
        "ledger/sums.py",
        "return Fraction(ceil(number * (1 << _STEP)), 1 << _STEP)",
        "return Fraction(int(number * (1 << _STEP)), 1 << _STEP)",
        (
            "unit/ledger/test_sums.py::test_a_short_loss_is_never_less_and_hardly_more",
            "unit/ledger/test_charge.py::test_what_is_charged_is_never_less_than_what_is_lost",
        ),
    ),
    Bug(
        "totals in entries are believed",
        "ledger/entries/balances.py",
        ('if not totals or any(loss_to_json(total) != body["totals"][name] for name, total in totals.items()):'),
        "if not totals:",
        (
            "unit/ledger/entries/test_balances.py::test_a_charge_must_add_up_even_if_its_digest_fits",
            "unit/ledger/test_ledger.py::test_an_entry_that_does_not_follow_from_those_before_is_not_believed",
        ),
    ),
    Bug(
        "shown at any price",
        "ledger/entries/balances.py",
        'return loss == past.price(body["question"]) and self._paid(loss, body)',
        "return self._paid(loss, body)",
        (
            "unit/ledger/entries/test_balances.py::test_an_answer_is_shown_at_the_price_of_its_charge",
            "unit/ledger/test_ledger.py::test_an_entry_that_does_not_follow_from_those_before_is_not_believed",
        ),
    ),
    Bug(
        "an answer to another question",
        "ledger/entries/balances.py",
        'if paid is None or link.payload is None or paid.question != body["question"]:',
        "if paid is None or link.payload is None:",
        (
            "unit/ledger/entries/test_balances.py::test_an_entry_must_make_sense",
            "unit/ledger/test_ledger.py::test_an_entry_that_does_not_follow_from_those_before_is_not_believed",
        ),
    ),
    Bug(
        "checkpoints are believed",
        "ledger/entries/balances.py",
        '"checkpoint": lambda: link == self.checkpoint(),',
        '"checkpoint": lambda: True,',
        (
            "unit/ledger/entries/test_balances.py::test_a_checkpoint_must_add_up_even_if_its_digest_fits",
            "unit/ledger/entries/test_records.py::test_an_edited_sum_in_an_old_checkpoint_vouches_for_nothing",
            "unit/ledger/entries/test_records.py",
        ),
    ),
    Bug(
        "digests are believed",
        "ledger/entries/entry.py",
        "return self.digest == _digest(self.previous, self.sequence, self.kind, self.body, self.payload)",
        "return bool(self.digest)",
        (
            "flows/test_ledger_tampering.py::test_an_edited_entry_is_noticed",
            "unit/ledger/entries/test_balances.py::test_every_entry_must_follow_the_one_before",
        ),
    ),
    Bug(
        "an older copy is served",
        "ledger/entries/chain.py",
        "if anchored.sequence > self._standing.head.sequence:",
        "if anchored.sequence < 0:",
        (
            "flows/test_ledger_tampering.py::test_an_older_copy_is_noticed",
            "unit/ledger/test_ledger.py::test_an_older_copy_in_its_place_is_not_opened",
        ),
    ),
    Bug(
        "the anchor stays behind",
        "ledger/entries/chain.py",
        "            self._anchor.write(self._standing.head)\n",
        "            self._anchor.read()\n",
        (
            "flows/test_ledger_tampering.py::test_an_older_copy_is_noticed",
            "unit/ledger/test_ledger.py::test_an_older_copy_in_its_place_is_not_opened",
        ),
    ),
    Bug(
        "the first write does not lock",
        "ledger/storage/sqlite.py",
        'WRITE = "BEGIN IMMEDIATE"',
        'WRITE = "BEGIN"',
        (
            "flows/test_ledger_races.py::test_ledgers_of_one_place_share_its_budget",
            "contracts/test_storages.py::test_one_writes_at_a_time_from_before_the_first_look",
            "adversary/test_service.py::test_63_fifty_at_once_for_the_last_of_the_budget",
            "adversary/test_service.py::test_64_two_processes_for_one_budget",
        ),
    ),
    Bug(
        "on a server, the first write does not lock",
        "ledger/storage/server.py",
        "SELECT pg_advisory_xact_lock(?, ?), ",
        "SELECT pg_advisory_xact_lock_shared(?, ?), ",
        (
            "contracts/test_storages.py::test_one_writes_at_a_time_from_before_the_first_look",
            "flows/test_ledger_races.py::test_ledgers_of_one_place_share_its_budget",
        ),
    ),
    Bug(
        "the snapshot is from before the lock",
        "ledger/storage/postgres.py",
        '_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"',
        '_WRITE = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"',
        (
            "contracts/test_storages.py::test_one_writes_at_a_time_from_before_the_first_look",
            "flows/test_ledger_races.py::test_ledgers_of_one_place_share_its_budget",
        ),
    ),
    Bug(
        "a commit that still lands is not waited for",
        "ledger/entries/chain.py",
        "with self._store.settled() as connection:",
        "with self._store.reading() as connection:",
        (
            "unit/ledger/storage/test_postgres.py::test_a_commit_that_still_lands_after_the_connection_was_lost_counts",
            "flows/test_lost_commits.py::test_a_commit_that_lands_late_is_never_a_free_question",
        ),
    ),
    Bug(
        "a server that forgets is served",
        "ledger/storage/server.py",
        "        if found not in wanted:\n",
        "        if not found:\n",
        (
            "unit/ledger/storage/test_postgres.py::test_a_server_that_may_forget_is_refused_whenever_it_says_so",
            "unit/ledger/storage/test_postgres.py::test_a_commit_that_is_not_waited_for_is_refused",
            "flows/test_lost_commits.py::test_a_curator_on_a_server_that_forgets_reads_no_row",
        ),
    ),
    Bug(
        "a ledger that was moved goes on charging",
        "ledger/entries/chain.py",
        "            if self._standing.moved:\n                raise refusals.moved(self._standing.moved)\n",
        "",
        (
            "flows/test_moved_ledger.py::test_both_have_the_same_entries_and_the_old_one_is_closed",
            "unit/ledger/entries/test_balances.py::test_nothing_is_added_after_the_account_has_moved",
        ),
    ),
    Bug(
        "entries follow the one that closes",
        "ledger/entries/balances.py",
        "return not self.moved and kinds[link.kind]()",
        "return kinds[link.kind]()",
        (
            "flows/test_moved_ledger.py::test_nothing_follows_the_entry_that_closes",
            "unit/ledger/entries/test_balances.py::test_nothing_follows_an_account_that_has_moved",
        ),
    ),
    Bug(
        "the new ledger is written before the old one is closed",
        "ledger/accounts/move.py",
        '            chain.append(lambda _, standing: Link.after(standing.head, "moved", '
        '{"to": target, "written": clock.now()}))\n'
        "        head = chain.read(_before_closing)\n",
        "            pass\n        head = chain.read(lambda _, standing: standing.head)\n",
        (
            "flows/test_moved_ledger.py::test_both_have_the_same_entries_and_the_old_one_is_closed",
            "unit/ledger/accounts/test_move.py::test_the_old_one_is_closed_before_anything_is_copied",
        ),
    ),
    Bug(
        "machines do not take turns",
        "ledger/storage/server_turns.py",
        'while not self._ask("SELECT pg_try_advisory_lock(?)", number):',
        'while not self._ask("SELECT pg_try_advisory_lock_shared(?)", number):',
        (
            "contracts/test_storages.py::test_turns_are_taken_by_question",
            "flows/test_same_question.py::test_processes_that_ask_the_same_pay_once",
        ),
    ),
    Bug(
        "processes do not take turns",
        "ledger/turns.py",
        "fcntl.lockf(held.file, fcntl.LOCK_EX, 1, offset)",
        "fcntl.lockf(held.file, fcntl.LOCK_SH, 1, offset) if False else None",
        (
            "flows/test_locks.py::test_processes_take_turns",
            "flows/test_same_question.py::test_processes_that_ask_the_same_pay_once",
        ),
    ),
    Bug(
        "threads do not take turns",
        "ledger/turns.py",
        ("            with lock:\n                yield\n"),
        ("            if lock:\n                yield\n"),
        (
            "flows/test_locks.py::test_threads_take_turns",
            "flows/test_same_question.py::test_six_threads_that_ask_the_same_pay_once",
        ),
    ),
    Bug(
        "a changed policy is served",
        "ledger/terms.py",
        "if found := changes(standing.terms[-1], terms):",
        "if found := changes(terms, terms):",
        (
            "flows/test_policy_changes.py::test_a_changed_policy_is_not_served",
            "unit/ledger/test_ledger.py::test_terms_that_are_not_those_of_the_ledger_are_not_served",
        ),
    ),
    Bug(
        "a handle from before a change goes on charging",
        "ledger/ledger.py",
        (
            "        def compose(_: Records, standing: Standing) -> Link:\n"
            "            if standing.policy != charge.policy:"
        ),
        ("        def compose(_: Records, standing: Standing) -> Link:\n            if not standing:"),
        (
            "flows/test_policy_changes.py::test_a_curator_that_was_opened_before_a_change_does_not_charge_after_it",
            "unit/ledger/test_ledger.py::test_a_charge_under_other_terms_than_those_in_force_is_refused",
        ),
    ),
    Bug(
        "delta may move from a full sum to another",
        "policy/terms.py",
        "Weight.NEVER if down else Weight.RAISE",
        "Weight.PLAIN if down else Weight.RAISE",
        (
            "unit/policy/test_terms.py",
            "flows/test_policy_changes.py::test_what_the_sums_were_kept_for_cannot_change",
        ),
    ),
    Bug(
        "neighbours may change on a ledger that has spent",
        "policy/terms.py",
        "{new['neighbours']}\", Weight.NEVER)",
        "{new['neighbours']}\", Weight.PLAIN)",
        (
            "unit/policy/test_terms.py",
            "flows/test_policy_changes.py::test_what_the_sums_were_kept_for_cannot_change",
        ),
    ),
    Bug(
        "a raise passes for a plain change",
        "ledger/terms.py",
        "if change.weight is Weight.RAISE and spent and not raising:",
        "if change.weight is Weight.RAISE and not spent and not raising:",
        (
            "flows/test_policy_changes.py::test_a_raise_is_said_to_be_one_and_shown_in_every_budget",
            "unit/ledger/test_ledger.py::test_a_raise_of_what_was_spent_from_must_be_said_to_be_one",
        ),
    ),
    Bug(
        "a second account on the same data",
        "ledger/accounts/registry.py",
        "if others and not holding.reason.strip() and not _is_there(holding):",
        "if others and not holding:",
        (
            "unit/ledger/accounts/test_registry.py",
            "flows/test_one_account.py::test_a_second_policy_beside_the_first_gets_no_fresh_budget",
        ),
    ),
    Bug(
        "a copy of the data is other data",
        "ledger/accounts/lists.py",
        (
            "return not self.sources.keys().isdisjoint(other.sources) or not "
            "set(self.sources.values()).isdisjoint(\n"
            "            other.sources.values()\n"
            "        )"
        ),
        "return not self.sources.keys().isdisjoint(other.sources)",
        (
            "unit/ledger/accounts/test_registry.py",
            "flows/test_one_account.py::test_the_same_data_by_another_name_are_the_same_people",
        ),
    ),
    Bug(
        "an analyst's delta is the population's",
        "core/cap.py",
        "approximate=self.approximate * ratio,",
        "approximate=self.approximate * min(1, 2 * ratio),",
        (
            "unit/core/test_cap.py::test_a_share_is_divided_in_the_same_proportions",
            "unit/policy/test_policy.py::test_a_share_is_charged_beside_the_population",
            "unit/policy/test_policy.py",
        ),
    ),
)
