"""A person asks in the browser: types, sees the price, pays, repeats for free, is refused, signs out."""

from dataclasses import replace

from deniable.doors.console.asking import Price
from deniable.doors.console.written import WrittenQuestion
from tests.support.served import BY_REGION, COUNT


def test_a_person_signs_in_sees_the_price_while_typing_pays_and_reads_the_answer(person, door):
    alice, before = person().sign_in("alice"), door.spent()
    alice.priced(BY_REGION)
    assert "ε 0.5" in alice.page.inner_text("#ask")
    assert "How far off the answer may be" in alice.page.inner_text("#price")
    assert door.spent() == before
    answer = alice.ask(BY_REGION)
    assert "north" in answer
    assert "±" in answer
    assert "What it means for one person" in answer
    assert alice.page.locator("#answer svg.chart.large rect.bar").count() == 3  # north, south, and neither
    assert alice.page.locator("#answer svg.cell").count() == 3
    assert door.spent() == before + 0.5
    assert alice.complaints == []


def test_to_ask_again_is_free_shows_the_same_numbers_and_survives_the_back_button(person, door):
    alice = person("alice")
    first = alice.ask("SELECT AVG(age) AS a FROM visits")
    spent = door.spent()
    alice.page.reload()
    assert "±" in alice.page.inner_text("#answer")
    alice.page.go_back()
    alice.page.wait_for_selector("#question")
    alice.page.goto("/console/ask")
    again = alice.ask("select avg( age ) as a from visits", "for free")
    numbers = [text.split("What it means")[0].splitlines()[-3:] for text in (first, again)]
    assert numbers[0] == numbers[1]
    assert door.spent() == spent


def test_what_is_refused_is_underlined_and_its_hint_is_applied_by_a_button(person, door):
    alice, before = person("alice"), door.spent()
    alice.write("SELECT AVG(agee) AS a FROM visits")
    alice.page.wait_for_selector("[data-refusal]")
    assert "unknown-column" in alice.page.inner_text("#price")
    assert alice.page.inner_text(".cm-lintRange-error") == "agee"
    assert alice.page.locator("#ask").count() == 0
    alice.page.click("text=Write age")
    alice.page.wait_for_selector("#ask")
    assert "AVG(age)" in alice.page.inner_text(".cm-content")
    assert alice.page.locator(".cm-lintRange-error").count() == 0
    alice.write("SELECT regoin, COUNT(*) AS n FROM visits GROUP BY region")
    alice.page.wait_for_selector(".mending button:has-text('Write region')")
    assert door.spent() == before


def test_nobody_pays_a_price_that_they_have_not_seen(person, door):
    alice, before = person("alice"), door.spent()
    alice.priced("SELECT SUM(age) AS s FROM visits")
    alice.page.route("**/ask/price", lambda route: route.abort())  # no new price comes
    alice.page.fill("#amount", "7")
    alice.page.evaluate("document.getElementById('question').requestSubmit()")
    alice.page.wait_for_selector("#ask:has-text('ε 7')")
    assert alice.page.locator("#answer").count() == 0
    assert door.spent() == before


def test_a_price_on_its_way_keeps_the_button_of_the_old_one_from_being_pressed(person, door):
    alice, before, held = person("alice").priced("SELECT SUM(cost) AS s FROM visits"), door.spent(), []
    alice.page.route("**/ask/price", lambda route: held.append(route))
    with alice.page.expect_request("**/ask/price"):
        alice.write("SELECT SUM(cost) AS t FROM visits")
    alice.page.keyboard.press("Control+Enter")  # presses the button, which is that of the old price
    assert alice.page.locator("#ask:disabled").count() == 1
    assert door.spent() == before
    held[-1].continue_()
    alice.page.wait_for_selector("#ask:enabled")
    assert "t by" in alice.page.inner_text("#noise")
    assert door.spent() == before


def test_who_never_saw_sql_gets_an_answer_with_buttons(person):
    alice = person("alice")
    page = alice.page
    page.select_option("select[name=table]", "visits")
    page.select_option("select[name=what]", "average cost")
    page.select_option("select[name=by]", "region")
    page.select_option("select[name=where]", "urgent")
    page.select_option("select[name=value]", "true")
    page.wait_for_selector(".cm-content:has-text('WHERE urgent = TRUE')")
    assert page.inner_text(".cm-content").splitlines()[0] == "SELECT region, AVG(cost) AS average_cost"
    page.click("#ask")  # as soon as its price is there
    page.wait_for_selector("#answer")
    assert "average_cost" in page.inner_text("#answer")
    assert alice.complaints == []


def test_a_press_right_behind_a_number_that_was_written_is_not_lost(person, door):
    alice, before = person("alice").priced("SELECT SUM(cost) AS pressed FROM visits"), door.spent()
    alice.page.fill("#amount", "0.25")
    alice.page.wait_for_selector("#ask:enabled:has-text('ε 0.25')")
    alice.page.click("#ask")  # which leaves the field
    alice.page.wait_for_selector("#answer")
    assert door.spent() == before + 0.25


def test_buttons_are_used_by_keyboard_and_enter_changes_and_pays_nothing(person, door):
    alice, before = person("alice"), door.spent()
    page = alice.page
    page.focus("select[name=table]")
    page.keyboard.press("v")
    page.wait_for_selector("select[name=what]")
    assert page.evaluate("document.activeElement.name") == "table"  # where they were
    page.select_option("select[name=what]", "rows")
    page.select_option("select[name=where]", "age")
    page.focus("input[name=value]")
    page.keyboard.type("65")
    page.wait_for_selector(".cm-content:has-text('WHERE age = 65')")
    assert page.evaluate("document.activeElement.name") == "value"
    alice.priced("SELECT COUNT(*) AS by_hand FROM visits")
    page.focus("#amount")
    page.keyboard.press("Enter")
    assert "by_hand" in page.inner_text(".cm-content")
    assert page.locator("#by-hand:visible").count() == 1
    assert page.url.endswith("/console/ask")
    assert door.spent() == before


def drawn(someone):
    """How long the error bars of the preview are, from the smallest group to the largest."""
    return someone.page.evaluate(
        "[...document.querySelectorAll('.preview path.whisker')].map(one => one.getBoundingClientRect().width)"
    )


def test_the_slider_moves_the_error_and_the_price(person):
    alice = person("alice").priced(COUNT)
    before, bars = alice.page.inner_text("#price .preview"), drawn(alice)
    alice.page.evaluate(
        "const s = document.getElementById('level'); s.value = 1; s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    alice.page.wait_for_selector("#ask:has-text('ε 10')")
    assert alice.page.input_value("#amount") == "10"
    assert alice.page.inner_text("#price .preview") != before
    assert len(bars) == len(drawn(alice)) == 4
    assert drawn(alice)[0] < bars[0]
    assert all(after <= before for after, before in zip(drawn(alice), bars, strict=True))


def test_without_scripts_prices_and_answers_are_read_as_well(person):
    alice = person("alice", java_script_enabled=False)
    page = alice.page
    page.fill("#sql", "SELECT COUNT(*) AS plain FROM visits WHERE urgent")
    page.click("text=Show the price")
    page.click("#ask")
    for _ in range(40):
        if page.locator("#answer").count():
            break
        page.reload()
    assert "plain" in page.inner_text("#answer")
    page.goto("/console/history")
    page.click("text=AS plain")
    assert "plain" in page.inner_text("#answer")


def test_history_opens_answers_again_for_free_and_becomes_a_notebook(person, door):
    alice = person("alice")
    alice.ask("SELECT COUNT(*) AS to_remember FROM visits")
    spent = door.spent()
    alice.page.goto("/console/history?find=REMEMBER")
    assert alice.page.locator("table.list tbody tr").count() == 1
    with alice.page.expect_download() as kept:
        alice.page.click("text=Download a notebook")
    assert "to_remember" in kept.value.path().read_text()
    alice.page.click("text=to_remember")
    assert "to_remember" in alice.page.inner_text("#answer")
    with alice.page.expect_download() as kept:
        alice.page.click("#answer >> text=csv")
    assert kept.value.path().read_text().startswith("to_remember,to_remember_low,to_remember_high\n")
    assert door.spent() == spent


def test_two_groups_are_compared_and_the_question_stands_in_other_words(person, door):
    alice = person("alice")
    alice.ask(BY_REGION, "")
    spent = door.spent()
    alice.page.click("text=Compare two groups")
    alice.page.select_option("select[name=other]", "south")
    alice.page.click("button:has-text('Compare')")
    assert "north less south" in alice.page.inner_text("#answer")
    alice.page.click("text=The same in Python")
    text = alice.page.inner_text("#answer")
    assert "deniable.connect" in text
    assert "/*+ epsilon=0.5 */" in text
    assert door.spent() == spent


def test_public_tables_are_free_and_an_empty_history_says_what_to_do(person):
    bob = person("bob")
    bob.page.goto("/console/history")
    assert "Ask a first question" in bob.page.inner_text("main")
    bob.page.goto("/console/ask")
    assert "Bern" in bob.ask("SELECT city FROM hospitals", "for free")


def test_a_part_of_a_long_line_is_looked_at_closely_by_buttons_and_read_by_the_pointer(person, door):
    alice = person("alice")
    alice.ask("SELECT day, COUNT(*) AS n, SUM(age) AS years FROM visits GROUP BY day", "")
    page, spent = alice.page, door.spent()
    page.wait_for_selector(".closely canvas")
    assert page.locator("#answer svg.chart").count() == 0  # it stands in their place
    assert page.inner_text("[data-read]") == "2025-01-01 to 2025-12-31"
    page.click("text=Closer")
    page.wait_for_function("document.querySelector('[data-read]').textContent.startsWith('2025-04-02 to 2025-10')")
    page.hover(".u-over")
    page.wait_for_selector("[data-read]:has-text(': n ')")
    assert ", between " in page.inner_text("[data-read]")
    page.click("[data-move=all]")
    alice.looks("a long line")
    page.click(".choose >> text=years")
    page.wait_for_selector(".closely canvas")
    assert door.spent() == spent
    assert alice.complaints == []


def test_what_a_script_is_refused_is_said_in_the_place_of_the_price_alone(person, door):
    alice, before = person("alice").priced(COUNT, ""), door.spent()
    alice.write(f"SELECT COUNT(*) FROM visits WHERE region = '{'x' * 70_000}'")
    alice.page.wait_for_selector("#price:has-text('too much at once')")
    alice.write(f"SELECT COUNT(*) FROM visits WHERE region = '{'x' * 21_000}'")
    alice.page.wait_for_selector("[data-refusal]:has-text('too long')")
    assert alice.page.evaluate("document.querySelector('.cm-editor').clientHeight") < 500
    alice.looks("a question that is too long")
    alice.page.route("**/ask/build", lambda route: route.continue_(url=f"{door.url}/console/nothing"))
    alice.page.evaluate("document.querySelector('.builder').open = true")
    alice.page.select_option("select[name=table]", "visits")
    alice.page.wait_for_selector("#price:has-text('There is no such page')")
    assert alice.page.locator("header").count() == 1
    assert alice.page.locator("select[name=table]").count() == 1
    assert door.spent() == before


def test_a_server_that_is_gone_loses_nothing_that_was_written(person):
    alice = person("alice").priced("SELECT SUM(cost) AS s FROM visits")
    alice.page.route("**/ask/price", lambda route: route.abort())
    alice.page.fill("#amount", "2")
    alice.page.wait_for_selector("text=The server does not answer")
    assert "SUM(cost)" in alice.page.inner_text(".cm-content")


def test_who_comes_first_is_led_through_a_question_by_three_presses(person, door):
    bob = person()
    bob.page.goto(f"/console/sign-in#{door.tokens['bob']}")
    bob.page.click("button.primary")
    assert "Your first answer" in bob.page.inner_text("main")
    bob.page.click("text=Try one: the average cost, for each region")
    bob.page.click(".mending button")  # the policy names no usual spend of his
    bob.page.wait_for_selector("#ask:has-text('Ask, for ε')")
    bob.page.click("#ask")
    bob.page.wait_for_selector("#answer")
    assert "That was it" in bob.page.inner_text("#answer")
    bob.looks("a first answer")
    bob.page.goto("/console/ask")
    assert "Your first answer" not in bob.page.inner_text("main")


def test_whatever_would_be_refused_is_said_with_its_own_reason(door):
    curator = door.service.populations["clinic"].curator
    quote, budget = curator.explain(COUNT, analyst="alice", epsilon=1), curator.budget("alice")

    def refused(account, loss):
        return Price(WrittenQuestion(COUNT), quote.with_notes(account.warns(loss)), account).refused

    assert refused(budget, quote.loss) == ""
    assert refused(budget, quote.loss.times(10**6)) == "it is more than what is left"
    assert refused(replace(budget, asked=(5, 5)), quote.loss).startswith("5 questions a day may be asked")
