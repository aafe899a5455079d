//! Archives of bots: kept once, found by name and by hash, and nobody else's.

use rookery_store::{BundleFilter, BundleState, EntrantId, MAX_BUNDLES, NewBundle, Page, Store, StoreError};

fn new(name: &str, owner: Option<EntrantId>, bytes: &[u8]) -> NewBundle {
    NewBundle {
        name: name.to_owned(),
        owner,
        label: "1+0".to_owned(),
        contents: "0a".repeat(32),
        bytes: bytes.to_vec(),
    }
}

pub(crate) fn belong_to_whoever_brought_them(store: &Store) {
    let (ann, eve) = (store.claim_name("ann", None).unwrap(), store.claim_name("eve", None).unwrap());
    let first = store.put_bundle(new("anns-bot", Some(ann), b"one")).unwrap();
    assert_eq!((first.state, first.bytes, first.owner), (BundleState::Pending, 3, Some(ann)));
    // Nobody seats what nobody has seen play.
    store.find_bundle("anns-bot", None).unwrap_err();
    store.set_bundle_state(first.version, BundleState::Ready, "").unwrap();
    assert_eq!(store.find_bundle("ANNS-BOT", None).unwrap().version, first.version);
    let taken = store.put_bundle(new("Anns-Bot", Some(eve), b"mine now")).unwrap_err();
    assert!(matches!(taken, StoreError::NameTaken { .. }), "{taken}");
    // Whoever has the store in hand may, and it stays hers.
    let second = store.put_bundle(new("anns-bot", None, b"two")).unwrap();
    assert_eq!(second.owner, Some(ann));
    assert_eq!(
        store.find_bundle("anns-bot", None).unwrap().version,
        first.version,
        "the newest that is ready"
    );
    store.set_bundle_state(second.version, BundleState::Ready, "").unwrap();
    assert_eq!(store.find_bundle("anns-bot", None).unwrap().version, second.version);
    let hash = first.sha256.to_string();
    assert_eq!(store.find_bundle("anns-bot", Some(&hash[..8])).unwrap().version, first.version);
    store.set_bundle_state(second.version, BundleState::Retired, "").unwrap();
    assert_eq!(store.find_bundle("anns-bot", None).unwrap().version, first.version);
    assert_eq!(store.bundle(first.version).unwrap(), b"one");
    // The same archive again: ready stays ready, retired is to be tried once more.
    assert_eq!(store.put_bundle(new("anns-bot", Some(ann), b"one")).unwrap().state, BundleState::Ready);
    assert_eq!(store.put_bundle(new("anns-bot", Some(ann), b"two")).unwrap().state, BundleState::Pending);
    let listed = |state| {
        let filter = BundleFilter { name: Some("anns-bot".to_owned()), state };
        store.bundles(&filter, Page::default()).unwrap().len()
    };
    assert_eq!(
        (listed(None), listed(Some(BundleState::Ready)), listed(Some(BundleState::Failing))),
        (2, 1, 0)
    );
    for number in 2..MAX_BUNDLES {
        store.put_bundle(new("anns-bot", Some(ann), &number.to_le_bytes())).unwrap();
    }
    let error = store.put_bundle(new("anns-other", Some(ann), b"one too many")).unwrap_err().to_string();
    assert!(error.contains("at most 64"), "{error}");
    store.put_bundle(new("ann", None, b"a person")).unwrap_err();
    store.put_bundle(NewBundle { contents: "short".to_owned(), ..new("b", None, b"x") }).unwrap_err();
}
