//! Fifty hostile texts in every text field of every page.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, EVIL, HURT, Site, Size, hostile, named_bot};
use serde_json::{Value, json};

/// What takes a text.
const FIELDS: &str =
    "input:not([type]), input[type=text], input[type=password], input[type=search], textarea";

/// How many texts are sent at a time: a script may take half a minute.
const AT_ONCE: usize = 10;

/// Nothing of a text has become more than text.
fn expect_unhurt(browser: &Browser, what: &str) {
    assert_eq!(browser.value(HURT), json!(false), "{what}: {}", browser.value("document.body.outerHTML"));
}

/// Types texts into all fields of a form, however long they may be, and sends it by each of its buttons. What went wrong: the
/// page where it stands, or the page that comes as the answer, has something that was meant as a text.
fn send_all(browser: &Browser, form: usize, texts: &[String]) -> Value {
    let (texts, fields) = (json!(texts), json!(FIELDS));
    browser.script_later(&format!(
        "const done = arguments[arguments.length - 1], found = [], fields = {fields}; \
         const form = [...document.querySelectorAll('main form')].filter((form) => form.querySelector(fields))[{form}]; \
         const evil = (root) => [...root.querySelectorAll({EVIL:?})].map((node) => node.outerHTML); \
         const type = (field, text) => {{ \
           field.removeAttribute('maxlength'); field.focus(); field.value = text; \
           field.dispatchEvent(new InputEvent('input', {{ bubbles: true, data: text, inputType: 'insertText' }})); \
           field.dispatchEvent(new Event('change', {{ bubbles: true }})); }}; \
         (async () => {{ for (const text of {texts}) {{ \
           for (const field of form.querySelectorAll(fields)) type(field, text); \
           const buttons = [...form.querySelectorAll('button:not([type=button])')]; \
           for (const by of buttons.length ? buttons : [null]) {{ \
             const sent = new URLSearchParams(new FormData(form, by)); \
             const answer = form.method === 'get' ? await fetch(form.action + '?' + sent) : await fetch(form.action, {{ method: 'POST', body: sent }}); \
             if (answer.status >= 500) found.push(text + ': ' + answer.status); \
             const page = new DOMParser().parseFromString(await answer.text(), 'text/html'); \
             found.push(...evil(page).map((node) => text + ' -> ' + answer.url + ': ' + node)); }} \
           if (window.hurt) found.push(text + ' has run'); \
           found.push(...evil(document).map((node) => text + ' here: ' + node)); }} }})() \
         .then(() => done(found), (error) => done([String(error)]));"
    ))
}

/// Sends all texts by every form of a page.
fn try_page(browser: &Browser, path: &str) {
    browser.open(path);
    browser.wait("document.readyState === 'complete'");
    let forms = format!(
        "[...document.querySelectorAll('main form')].filter((form) => form.querySelector({FIELDS:?})).length"
    );
    let forms = browser.value(&forms).as_u64().unwrap() as usize;
    assert!(forms > 0, "{path} has a field");
    let texts = hostile();
    assert_eq!(texts.len(), 50);
    for form in 0..forms {
        browser.open(path);
        for some in texts.chunks(AT_ONCE) {
            let found = send_all(browser, form, some);
            assert_eq!(found, json!([]), "{path}");
        }
        // One of them as a person would send it, so that a browser reads the answer.
        browser.open(path);
        let script = format!(
            "const form = [...document.querySelectorAll('main form')].filter((form) => form.querySelector({FIELDS:?}))[arguments[0]]; \
             form.noValidate = true; for (const field of form.querySelectorAll({FIELDS:?})) field.value = arguments[1]; \
             window.before = true; form.requestSubmit();"
        );
        browser.script(&script, vec![json!(form), json!("\"><img src=x onerror=window.hurt=1>")]);
        browser.wait("document.readyState === 'complete' && (!window.before || document.querySelector('[role=alert], [role=status]'))");
        expect_unhurt(browser, path);
    }
    browser.expect_only_refusals();
}

#[test]
fn fault_w03_fifty_hostile_texts_in_the_fields_of_visitors() {
    let site = Site::open("browser-hostile");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    for path in ["/login", "/players", "/new", "/t/new?game=hexapawn&signup=people&time=5m%2B3s", "/connect"]
    {
        try_page(&browser, path);
    }
    // What was kept is shown to others.
    for path in ["/", "/t", "/watch", "/players"] {
        browser.open(path);
        browser.wait("document.readyState === 'complete'");
        expect_unhurt(&browser, path);
    }
    browser.expect_only_refusals();
}

#[test]
fn fault_w03_fifty_hostile_texts_as_moves_of_a_puzzle() {
    let site = Site::open("browser-hostile-puzzle");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/puzzle");
    browser.see("rk-puzzle [data-part=type] input");
    browser.wait("document.querySelector('rk-puzzle rk-board').scene");
    let begins = browser.value("document.querySelector('[data-part=status]').textContent");
    for text in hostile() {
        let fill = "const form = document.querySelector('[data-part=type]'); const field = form.querySelector('input'); \
             field.removeAttribute('maxlength'); field.value = arguments[0]; form.requestSubmit();";
        browser.script(fill, vec![json!(text)]);
        std::thread::sleep(std::time::Duration::from_millis(50));
        expect_unhurt(&browser, &text);
    }
    browser.wait(&format!("document.querySelector('[data-part=status]').textContent !== {begins}"));
    browser.expect_only_refusals();
}

#[test]
fn fault_w03_fifty_hostile_texts_in_the_fields_of_the_operator() {
    let site = Site::open("browser-hostile-boss");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/login");
    let claim = json!({
        "name": "boss", "password": "correct horse", "claim": true, "operator": site.operator_token(),
    });
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    for path in ["/settings", "/connect", "/operator"] {
        try_page(&browser, path);
    }
    assert_eq!(browser.api("/api/v1/me")["name"], "boss", "it is still who it was");
}

/// Cancels a match a text by the form of the operator, with the text as the reason. What the answers have that was meant as a
/// text, and the matches in which the reason is not told.
const CANCEL_ALL: &str = "const done = arguments[arguments.length - 1], found = [], ids = []; \
     const read = async (answer) => new DOMParser().parseFromString(await (await answer).text(), 'text/html'); \
     (async () => { for (const text of TEXTS) { \
       const body = JSON.stringify({ game: 'hexapawn', seats: ['me', 'first'] }); \
       const made = await (await fetch('/api/v1/matches', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })).json(); \
       const page = await read(fetch('/operator')); \
       const form = page.querySelector(`form:has([name=match][value='${made.id}'])`); \
       form.querySelector('[name=reason]').value = text; \
       const sent = new URLSearchParams(new FormData(form, form.querySelector('button'))); \
       const pages = [await read(fetch('/operator', { method: 'POST', body: sent }))]; \
       while (!(await (await fetch('/api/v1/matches/' + made.id)).json()).over) await new Promise((done) => setTimeout(done, 20)); \
       pages.push(await read(fetch('/m/' + made.id))); \
       found.push(...pages.flatMap((page) => [...page.querySelectorAll(EVIL)].map((node) => text + ': ' + node.outerHTML))); \
       if (!pages[1].querySelector('[data-part=status]').textContent.includes(text)) found.push(text + ' is not told'); \
       ids.push(made.id); } })() \
     .then(() => done({ found, ids }), (error) => done({ found: [String(error)], ids }));";

#[test]
fn fault_w03_fifty_hostile_texts_as_reasons_of_the_operator() {
    let site = Site::open("browser-hostile-reason");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/login");
    let claim = json!({
        "name": "boss", "password": "correct horse", "claim": true, "operator": site.operator_token(),
    });
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    // Control characters are left out of a reason.
    let texts: Vec<String> = hostile().iter().map(|text| text.replace(char::is_control, "")).collect();
    for some in texts.chunks(AT_ONCE) {
        let script =
            CANCEL_ALL.replace("TEXTS", &json!(some).to_string()).replace("EVIL", &format!("{EVIL:?}"));
        let told = browser.script_later(&script);
        assert_eq!(told["found"], json!([]));
        // One of them as it is drawn by script.
        let id = told["ids"][0].as_str().unwrap();
        browser.open(&format!("/m/{id}"));
        browser.wait("document.querySelector('rk-match').state?.over");
        browser.read("[data-part=over]", &some[0]);
        expect_unhurt(&browser, &some[0]);
    }
}

/// Drops a record in which every text of people and programs is another one, with a hash that fits.
const DROP: &str = "const done = arguments[arguments.length - 1]; (async () => { \
     const lines = (await (await fetch('/m/GAME.jsonl')).text()).trim().split('\\n').map((line) => JSON.parse(line)); \
     const names = NAMES, verdict = lines.pop(); \
     lines[0].record.match.seats.forEach((seat, n) => { [seat.name, seat.label] = [names[n], names[n]]; }); \
     for (const { moved } of lines.slice(1)) moved.info = { line: [names[0]], text: names[1] }; \
     lines.push(...SAID.map((text, n) => ({ said: { seat: n % 2, text } }))); \
     const body = lines.map((line) => JSON.stringify(line) + '\\n').join(''); \
     const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))); \
     verdict.verdict.sha256 = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join(''); \
     const dataTransfer = new DataTransfer(); \
     dataTransfer.items.add(new File([body + JSON.stringify(verdict) + '\\n'], 'game.rookery.jsonl')); \
     document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })); \
   })().then(() => done(null), (error) => done(String(error)));";

#[test]
fn fault_w03_fifty_hostile_texts_in_records_that_are_dropped() {
    let site = Site::open("browser-hostile-record");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let wanted = json!({"game": "hexapawn:rows=3,cols=3", "seats": ["random", "first"], "seed": "7"});
    let id = browser.post("/api/v1/matches", &wanted)["id"].as_str().unwrap().to_owned();
    while browser.api(&format!("/api/v1/matches/{id}"))["over"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // A record has no control characters.
    let texts: Vec<String> = hostile().iter().map(|text| text.replace(char::is_control, "")).collect();
    for names in texts.chunks(2) {
        browser.open("/");
        let script = DROP
            .replace("GAME", &id)
            .replace("NAMES", &json!(names).to_string())
            .replace("SAID", &json!(texts).to_string());
        assert_eq!(browser.script_later(&script), Value::Null);
        browser.wait("location.pathname === '/replay' && (document.querySelector('rk-match')?.state || document.querySelector('[role=alert]')?.checkVisibility())");
        assert_eq!(
            browser.value("document.querySelector('rk-record > div [role=alert]')?.textContent"),
            Value::Null
        );
        let shown =
            "[...document.querySelectorAll('.seat .who > span:first-child')].map((name) => name.textContent)";
        assert_eq!(browser.value(shown), json!(names));
        browser.wait("document.querySelectorAll('[data-part=chat] li').length === 50");
        browser.see("[data-part=graph] svg");
        expect_unhurt(&browser, &names[0]);
    }
}

#[test]
fn fault_w03_fifty_hostile_texts_in_a_match_by_persons_and_bots() {
    let site = Site::open("browser-hostile-match");
    let (Some(ann), Some(eve)) = (site.browser(Size::Desktop), site.browser(Size::Desktop)) else { return };
    let evil = "\"><img src=x onerror=window.hurt=1>";
    named_bot(site.bots(), &json!({"name": "mine", "author": evil}), json!({"info": evil, "say": evil}));
    ann.open("/new?spec=fish:rows=4,cols=4,players=3&seats=me,random,@mine");
    ann.click("form.newgame button.primary");
    ann.see("rk-match rk-board");
    ann.play_once(|_| 0);
    ann.turn();
    eve.open(&format!("/m/{}", ann.match_id()));
    eve.wait("document.querySelector('rk-match').state?.ply >= 3");
    eve.read("[data-seat=\"2\"] .said", "onerror=window.hurt");
    for form in ["say", "typed"] {
        let texts = hostile();
        for (n, text) in texts.iter().enumerate() {
            let fill = format!(
                "const form = document.querySelector('[data-part={form}]'); const field = form.querySelector('input'); \
                 field.value = arguments[0]; form.requestSubmit();"
            );
            ann.script(&fill, vec![json!(text)]);
            // Nobody may say more than a hundred things in twenty seconds.
            std::thread::sleep(std::time::Duration::from_millis(if n % 10 == 9 { 2500 } else { 20 }));
            expect_unhurt(&ann, text);
        }
    }
    for browser in [&ann, &eve] {
        browser.wait("document.querySelectorAll('[data-part=chat] li').length > 20");
        expect_unhurt(browser, "the chat");
    }
    let state: Value = ann.state();
    assert!(state["over"].is_null(), "it goes on: {state}");
    for path in ["/", "/watch", "/connect", "/p/mine"] {
        eve.open(path);
        eve.wait("document.readyState === 'complete'");
        expect_unhurt(&eve, path);
    }
    eve.expect_only_refusals();
}
