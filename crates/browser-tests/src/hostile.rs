//! Texts that mean harm, for every field that takes a text.

/// What no page of ours has; a text that gets in as more than text is one of these.
pub const EVIL: &str = "x-hurt, iframe, object, embed, base, marquee, script:not([src]), [onerror], [onload], [onclick], \
     [onfocus], [onmouseover], [ontoggle], [src=x], [href^='javascript:'], [action^='javascript:']";

/// Whether one has, or has run.
pub const HURT: &str = "Boolean(window.hurt) || document.querySelectorAll(\"x-hurt, iframe, object, embed, base, marquee, \
     script:not([src]), [onerror], [onload], [onclick], [onfocus], [onmouseover], [ontoggle], [src=x], \
     [href^='javascript:'], [action^='javascript:']\").length > 0";

const BEGINNINGS: [&str; 5] = ["", "\">", "'>", "</textarea></title></style></script>", "--><!--]]>"];

const ELEMENTS: [&str; 8] = [
    "<script>window.hurt=1</script>",
    "<img src=x onerror=window.hurt=1>",
    "<svg onload=window.hurt=1>",
    "<x-hurt onclick=window.hurt=1>",
    "<iframe srcdoc='<script>parent.hurt=1</script>'></iframe>",
    "<details open ontoggle=window.hurt=1>",
    "<a href=\"javascript:window.hurt=1\">x</a>",
    "<base href=\"//evil.example/\">",
];

const OTHERS: [&str; 10] = [
    "javascript:window.hurt=1",
    "\" onfocus=window.hurt=1 autofocus x=\"",
    "{{constructor.constructor('window.hurt=1')()}}",
    "${window.hurt=1}",
    "\u{202e}txt\u{2066}x\u{feff}",
    "\u{1b}]0;x\u{7}\u{1b}[2J",
    "'; drop table games; --",
    "../../etc/passwd\u{0}",
    "=cmd|'/c calc'!A1",
    "＜script＞window.hurt=1＜/script＞",
];

/// Fifty of them.
pub fn hostile() -> Vec<String> {
    let elements =
        BEGINNINGS.iter().flat_map(|begin| ELEMENTS.iter().map(move |element| format!("{begin}{element}")));
    elements.chain(OTHERS.map(str::to_owned)).collect()
}
