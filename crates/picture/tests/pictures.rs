//! Pictures of all games are well-formed and self-contained. (What they look like is kept in `docs/pictures` and
//! compared by the tests of the command line.)
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::HashSet;

use rookery_games::{fish, four, hexapawn, renpaarden, stones};
use rookery_picture::{LastMove, Options, svg};
use rookery_rules::scene::{Caption, Cell, Place, Shape};
use rookery_rules::{Notation, Picture, Position as _, Scene, Seed, Setup};

/// Parses a picture and checks that every reference stays inside, ids are unique and nothing can run.
fn check(text: &str, context: &str) {
    let document = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}: {context}"));
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")), "{context}");
    let mut ids = HashSet::new();
    for id in document.descendants().filter_map(|node| node.attribute("id")) {
        assert!(ids.insert(id), "the id {id} is given once: {context}");
    }
    for id in root.attribute("aria-labelledby").unwrap().split(' ') {
        let node = document.descendants().find(|node| node.attribute("id") == Some(id)).unwrap();
        assert!(node.text().is_some_and(|text| !text.is_empty()), "{id} says something: {context}");
    }
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(!["script", "image", "foreignObject", "a"].contains(&name), "there is no {name}: {context}");
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on"), "nothing runs: {name}={value}: {context}");
            let target = match (name, value.strip_prefix("url(#")) {
                ("href", _) => value.strip_prefix('#'),
                (_, Some(rest)) => rest.strip_suffix(')'),
                _ => continue,
            };
            assert!(target.is_some_and(|id| ids.contains(id)), "{value} is in the picture: {context}");
        }
    }
    assert!(!text.contains("@import") && text.matches("http").count() == 1, "only the namespace: {context}");
}

/// Pictures at many positions of random games.
fn check_games<S: Setup<Position: Notation + Picture>>(options: &str) {
    let mut rng = Seed(5).rng();
    let mut position = S::parse(options).unwrap().start();
    let mut last = None;
    for ply in 0..60 {
        let scene = position.scene();
        let context = format!("{}:{options} at ply {ply} in {}", S::GAME, position.to_text());
        for (coordinates, captions) in [(true, true), (false, false)] {
            let prefix = format!("p{ply}-");
            let options = Options { last: last.clone(), coordinates, captions, prefix, style: captions };
            let text = svg(&scene, &options);
            assert_eq!(text.contains("<style>"), captions, "{context}");
            check(&text, &context);
        }
        let Some(mv) = position.random_move(&mut rng) else { break };
        last = scene.find_move(&mv.to_string()).map(LastMove::from);
        position.play(mv).unwrap();
    }
}

#[test]
fn pictures_are_well_formed() {
    for options in
        ["", "rows=1,cols=128", "rows=128,cols=1", "rows=3,cols=3,players=4", "board=classic,players=3"]
    {
        check_games::<fish::Setup>(options);
    }
    for options in ["", "rows=3,cols=3,line=3", "rows=8,cols=8,line=6"] {
        check_games::<four::Setup>(options);
    }
    for options in ["", "rows=2,cols=1", "rows=8,cols=8,eliminate=choose"] {
        check_games::<hexapawn::Setup>(options);
    }
    for options in ["", "width=3,height=5", "width=11,height=11"] {
        check_games::<renpaarden::Setup>(options);
    }
    for options in ["", "rows=2,cols=1", "rows=16,cols=16,players=8,layout=ring"] {
        check_games::<stones::Setup>(options);
    }
}

#[test]
fn tiles_of_more_than_five_fish_show_a_number() {
    let scene = fish::Position::from_text("p1 17/9a8/25b/60 6,3").unwrap().scene();
    let text = svg(&scene, &Options::default());
    check(&text, "nine fish");
    assert!([6, 7, 8, 9].iter().all(|fish| text.contains(&format!(">×{fish}</text>"))));
}

#[test]
fn texts_from_outside_stay_texts() {
    let evil = "</desc><script>alert('1')</script>&\"\u{8}";
    let mut scene = hexapawn::Setup::default().start().scene();
    for piece in &mut scene.pieces {
        piece.mark = evil.to_owned();
        piece.label = evil.to_owned();
        piece.cell = scene.cells[0].id.clone();
    }
    for caption in &mut scene.captions {
        caption.text = evil.to_owned();
    }
    let text = svg(&scene, &Options { prefix: "a\"<".to_owned(), ..Options::default() });
    check(&text, "evil texts");
    assert!(!text.contains("<script"));
}

#[test]
fn what_is_not_known_is_drawn_all_the_same() {
    let mut scene = Scene::new("New game", "lava", "dragon");
    scene.viewbox = rookery_rules::scene::Viewbox { x: 0, y: 0, width: 100, height: 100 };
    scene.cells.push(Cell {
        shape: Shape::Circle(50),
        value: Some(3),
        ..Cell::square("a1".to_owned(), 0, 0)
    });
    let seat = rookery_rules::Seat::new(7);
    scene.add_piece("a1".to_owned(), seat, "8".to_owned(), "dragon".to_owned());
    scene.captions.push(Caption {
        place: Place::Seat(seat),
        text: "dragons".to_owned(),
        classes: vec!["out"],
    });
    let last = Some(LastMove { from: Some("z9".to_owned()), to: None });
    check(&svg(&scene, &Options { last, ..Options::default() }), "an unknown game");
}
