"""Bugs in who is served, and when."""

from tests.planted.bug import Bug

_SESSION, _SCHEDULE = "unit/service/test_session.py", "unit/service/test_schedule.py"
_STATEMENTS = "unit/doors/postgres/test_statements.py"
_WIRE, _HTTP = "unit/doors/postgres/test_wire.py", "unit/doors/http/test_app.py"

BUGS = (
    Bug(
        "an answer leaves as soon as it is there",
        "service/schedule.py",
        "            await self._deadline(start)\n            self._released.note(job.questions)",
        "            self._released.note(job.questions)",
        (
            f"{_SESSION}::test_answers_leave_at_the_deadline_however_long_they_took",
            f"{_SCHEDULE}::test_what_is_ready_only_just_in_time_waits_for_the_next_deadline",
            "statistics/test_served_times.py::test_with_a_deadline_times_cannot_be_told_apart",
        ),
    ),
    Bug(
        "a failure leaves as soon as it is there",
        "service/schedule.py",
        "if job.entries or job.looks or not isinstance(error, Refused):",
        "if error is None:",
        (
            f"{_SESSION}::test_failures_leave_on_the_same_schedule_and_say_nothing",
            f"{_SCHEDULE}::test_a_place_is_held_until_the_deadline_and_a_failure_leaves_no_sooner",
        ),
    ),
    Bug(
        "a place is free when the engine is",
        "service/schedule.py",
        "        async with self._places:",
        "        async with asyncio.Semaphore(1):",
        (
            f"{_SESSION}::test_whoever_waits_for_a_place_learns_nothing_of_how_long_the_other_ran",
            f"{_SCHEDULE}::test_a_place_is_held_until_the_deadline_and_a_failure_leaves_no_sooner",
        ),
    ),
    Bug(
        "a restart forgets the deadlines of who paid",
        "service/schedule.py",
        "was_seen = not self._after or question in self._released",
        "was_seen = self._after >= 0",
        (
            f"{_SESSION}::test_what_another_process_has_paid_for_is_not_shown_before_its_deadline",
            f"{_SCHEDULE}::test_an_answer_that_was_paid_for_elsewhere_is_settled_when_the_ledger_says_so",
        ),
    ),
    Bug(
        "what the ledger says is a deadline too early",
        "service/schedule.py",
        "+ 1 + after * (max(1, ceil(ran / after)) + 1)",
        "+ after * max(1, ceil(ran / after)) - 1",
        (
            f"{_SCHEDULE}::test_what_the_ledger_says_is_never_before_the_deadline_of_who_paid",
            f"{_SESSION}::test_what_another_process_has_paid_for_is_not_shown_before_its_deadline",
        ),
    ),
    Bug(
        "what is recorded is shown while its question is on its way",
        "ledger/ledger.py",
        "if not may_show(charge.question):",
        "if not may_show:",
        (
            "adversary/test_early.py",
            "flows/test_served_crashes.py::test_a_server_that_was_killed_still_keeps_the_deadline_of_who_paid",
        ),
    ),
    Bug(
        "analysts see the history of all",
        "service/history.py",
        "mine = [(line, entry) for line, entry in found if line.analyst == analyst]",
        "mine = found",
        (f"{_SESSION}::test_roles_see_what_is_theirs", f"{_HTTP}::test_everybody_sees_what_is_theirs"),
    ),
    Bug(
        "a token that has ended is still good on an open connection",
        "service/session.py",
        "if not self.population.tokens.still(self.token):",
        "if self.population.tokens is None:",
        (
            f"{_SESSION}::test_a_revoked_token_ends_a_session_that_is_open",
            "unit/doors/postgres/test_statements.py::test_an_open_connection_notices_that_its_token_has_ended",
        ),
    ),
    Bug(
        "whoever asks is shown what another has paid for",
        "curator/ask.py",
        "shown = self.ledger.show(charge, accounts, self.may_show)",
        "shown = self.ledger.show(charge, accounts[:1], self.may_show)",
        (
            f"{_SESSION}::test_what_one_analyst_remembers_another_pays_for",
            "adversary/test_doors.py::test_what_another_has_paid_for_is_charged_to_whoever_sees_it",
        ),
    ),
    Bug(
        "an analyst's history counts the entries of answers",
        "service/history.py",
        "return [(replace(line, entry=number), entry) for number, (line, entry) in enumerate(mine, 1)]",
        "return mine",
        (
            f"{_SESSION}::test_an_analysts_history_does_not_count_what_others_were_answered",
            f"{_STATEMENTS}::test_history_has_charges_and_their_times_and_nothing_of_how_long_they_took",
        ),
    ),
    Bug(
        "a pass over a table tells how long it took",
        "service/session.py",
        "if not self._looks:",
        "if self._looks is not None:",
        (
            f"{_SESSION}::test_where_it_takes_a_look_at_rows_to_know_the_data_repeats_wait_too",
            f"{_SCHEDULE}::test_a_new_question_takes_an_interval_more_where_versions_take_a_look_at_rows",
        ),
    ),
    Bug(
        "every role has every right",
        "service/custodian/custody.py",
        "if self.session.token.role not in roles:",
        "if not roles:",
        (
            "unit/service/custodian/test_custody.py::test_every_right_belongs_to_its_roles",
            f"{_HTTP}::test_everybody_sees_what_is_theirs",
        ),
    ),
    Bug(
        "any proof lets in",
        "service/scram.py",
        "return hmac.compare_digest(sha256(client_key).digest(), self.stored_key)",
        "return len(client_key) > 0",
        (
            f"{_WIRE}::test_unknown_name_wrong_password_and_foreign_population_look_the_same",
            "unit/service/test_tokens.py",
        ),
    ),
    Bug(
        "who is turned away hears it at once",
        "service/entrance.py",
        "        await asyncio.sleep(max(0.0, began + _SLOW - monotonic()))\n",
        "",
        (
            f"{_SESSION}::test_every_failure_to_come_in_has_the_same_words_and_takes_the_same_time",
            f"{_HTTP}::test_nobody_comes_in_without_a_token_and_every_failure_is_the_same",
        ),
    ),
    Bug(
        "the log has the constants of a statement that is not understood",
        "doors/postgres/lexing.py",
        "parts = (_UNSAID.get(token.kind, token.text) for token in tokens(text))",
        "parts = (token.text for token in tokens(text))",
        (
            "unit/doors/postgres/test_lexing.py",
            "adversary/test_doors.py::test_the_log_has_no_constant_no_token_and_no_row",
        ),
    ),
)
