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
