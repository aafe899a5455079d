//! The style sheet inside a picture. Every rule is about elements of a picture only, so that one can stand in a page.
//!
//! What is drawn once and used by reference is styled where it is defined: a selector that asks for something around
//! it would find nothing there. So those rules ask for one class only, which begins with the ground's or sprite's name.

use rookery_rules::Scene;

/// What all pictures need.
const COMMON: &str = "\
.rk{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-weight:600;text-anchor:middle}
.rk .panel{fill:#f7f8fa}
.rk .say{fill:#1d2530;text-anchor:start}
.rk .seat{font-weight:500}
.rk .game{fill:#6b7684;text-anchor:end;font-weight:500}
.rk .chip{fill:#fff;stroke:#d5dbe2;stroke-width:2}
.rk .chip.on{stroke:#e08a00;stroke-width:4}
.rk .coin{fill:#eef2f6}
.rk .star{fill:#e8a200}
.rk .faded{opacity:.45}
.rk .trail{fill:none;stroke:#ffab1a;stroke-width:5;stroke-linejoin:round}
.rk .from{stroke-dasharray:10 8}
.rk .arrow{fill:#ffab1a;fill-opacity:.85;stroke:#8a5200;stroke-opacity:.55;stroke-width:1.5;stroke-linejoin:round}
";

const COMMON_DARK: &str = "\
.rk .panel{fill:#12171e}
.rk .say{fill:#eef2f6}
.rk .seat{font-weight:500}
.rk .game{fill:#94a1b0}
.rk .chip{fill:#1c242e;stroke:#36424f}
.rk .chip.on{stroke:#ffb43a}
.rk .coin{fill:#5d6b79}
";

struct Part {
    name: &'static str,
    light: &'static str,
    dark: &'static str,
}

const GROUNDS: &[Part] = &[
    Part {
        name: "sea",
        light: "\
.&-w0{stop-color:#8fd0ec}.&-w1{stop-color:#3c8fc4}
.&-wave{stroke:#fff;stroke-opacity:.3;fill:none;stroke-width:2.5;stroke-linecap:round}
.&-i0{stop-color:#fff}.&-i1{stop-color:#d9edf8}
.&-ice{stroke:#a9d3ea;stroke-width:2;stroke-linejoin:round}
.&-side{fill:#7fb6d6}
.&-glint{fill:none;stroke:#fff;stroke-width:3;stroke-linecap:round}
.&-hole{fill:#fff;fill-opacity:.06;stroke:#fff;stroke-opacity:.22;stroke-width:2;stroke-dasharray:3 9;stroke-linecap:round}
.&-co{fill:#5d8aa6;font-weight:500}
.&-fish{fill:#f08a3c;stroke:#b75a17;stroke-width:1.2;stroke-linejoin:round}
.&-times{fill:#8a4210}
.rk.& .trail{stroke:#7d3ff0}.rk.& .arrow{fill:#7d3ff0;fill-opacity:.55;stroke:#3f1a8f}
",
        dark: "\
.&-w0{stop-color:#174b6d}.&-w1{stop-color:#0b2740}
.&-wave{stroke-opacity:.1}
.&-i0{stop-color:#e4f0f7}.&-i1{stop-color:#b4cfdf}
.&-ice{stroke:#86abc1}
.&-side{fill:#4d7a96}
.rk.& .trail{stroke:#b388ff}.rk.& .arrow{fill:#8f5bff;fill-opacity:.7;stroke:#d9c4ff}
.&-co{fill:#44677d}
",
    },
    Part {
        name: "wood",
        light: "\
.&-frame{fill:#7b4f2e}.&-rim{fill:#5f3a20}
.&-light{fill:#f1e1c3}.&-dark{fill:#c29a6b}
.&-co{fill:#f3e3c8}
",
        dark: "\
.&-frame{fill:#4a3020}.&-rim{fill:#2f1d12}
.&-light{fill:#cdb995}.&-dark{fill:#8d6a45}
.&-co{fill:#d9c4a2}
",
    },
    Part {
        name: "slate",
        light: "\
.&-frame{fill:#52616f}.&-rim{fill:#3c4853}
.&-light{fill:#eceff2}.&-dark{fill:#d3dae1}
.&-co{fill:#eef2f5}
",
        dark: "\
.&-frame{fill:#2b3540}.&-rim{fill:#1a2129}
.&-light{fill:#4a5663}.&-dark{fill:#3d4854}
.&-co{fill:#c3ced8}
",
    },
    Part {
        name: "turf",
        light: "\
.&-frame{fill:#3f6a43}.&-rim{fill:#2c4d30}
.&-light{fill:#e3efcf}.&-dark{fill:#a9c98b}
.&-home-1{fill:#fff;fill-opacity:.38}.&-home-2{fill:#8f5a24;fill-opacity:.34}
.&-co{fill:#e9f3dd}
",
        dark: "\
.&-frame{fill:#24402a}.&-rim{fill:#16291a}
.&-light{fill:#a3bb86}.&-dark{fill:#6c8f57}
.&-co{fill:#c9dcb6}
",
    },
];

const SPRITES: &[Part] = &[
    Part {
        name: "penguin",
        light: "\
.&-s0{color:#cf3a2f;stroke:#7d1c15;fill:#fff6e6}.&-s1{color:#fdfeff;stroke:#5b6b7b;fill:#dbe6ef}
.&-s2{color:#8d5b34;stroke:#4f2f17;fill:#fbeedb}.&-s3{color:#2a313a;stroke:#07090c;fill:#fff}
.&-orange{fill:#f59a1b;stroke:#a85f05}
.&-mark{fill:#26303a;stroke:none}
",
        dark: "",
    },
    Part {
        name: "pawn",
        light: "\
.&-s0{color:#fbf1dc;stroke:#6a4a2c}.&-s1{color:#40342f;stroke:#120d0b}
.&-s0 .&-mark{fill:#6a4a2c;stroke:none}.&-s1 .&-mark{fill:#f1e1c3;stroke:none}
",
        dark: "",
    },
    Part {
        name: "horse",
        light: "\
.&-s0{color:#fdf3df;stroke:#5e4527;fill:#c98f4a}.&-s1{color:#4b332a;stroke:#150c08;fill:#d9b27a}
.&-s0 .&-mark{fill:#5e4527;stroke:none}.&-s1 .&-mark{fill:#f7e7c8;stroke:none}
",
        dark: "",
    },
    Part {
        name: "stone",
        light: "\
.&-s0{color:#1f6fb8}.&-s1{color:#e98a15}.&-s2{color:#1b9e77}.&-s3{color:#d0342c}
.&-s4{color:#8150b8}.&-s5{color:#63bdea}.&-s6{color:#f2d935}.&-s7{color:#3d444c}
.&-mark{fill:#fff;stroke:none}.&-s1 .&-mark,.&-s5 .&-mark,.&-s6 .&-mark{fill:#1d2530}
",
        dark: ".&-s7{color:#0d1116}\n",
    },
];

/// The style sheet of a scene: only the rules that it needs. In the parts, `&` stands for the part's name.
pub(crate) fn sheet(scene: &Scene) -> String {
    let ground = GROUNDS.iter().find(|part| part.name == scene.ground);
    let sprite = SPRITES.iter().find(|part| part.name == scene.sprite);
    let mut light = String::new();
    let mut dark = String::new();
    for part in ground.into_iter().chain(sprite) {
        light += &part.light.replace('&', part.name);
        dark += &part.dark.replace('&', part.name);
    }
    format!("<style>\n{COMMON}{light}@media (prefers-color-scheme:dark){{\n{COMMON_DARK}{dark}}}\n</style>\n")
}
