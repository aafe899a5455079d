//! The schema of the bot protocol, as strict as tests want it.

use serde_json::{Value, json};

const PROTOCOL: &str = include_str!("../../../docs/protocol.schema.json");

/// The schema of messages in one direction, `to_bot` or `from_bot`. Whoever reads them ignores fields that it does not know, so
/// the schema allows more; but what we send has no field that is not described.
///
/// # Panics
/// If the schema is no JSON.
pub fn protocol_schema(direction: &str) -> Value {
    let mut schema: Value = serde_json::from_str(PROTOCOL).expect("the schema is JSON");
    schema["anyOf"] = json!([{ "$ref": format!("#/$defs/{direction}") }]);
    if direction == "to_bot" {
        close(&mut schema);
    }
    schema
}

/// Allows no fields but those that are named, however deep.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(close),
        Value::Object(parts) => {
            parts.values_mut().for_each(close);
            if parts.get("type").is_some_and(|kind| kind == "object") {
                parts.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_send_is_described_to_the_last_field() {
        let schema = protocol_schema("to_bot");
        let turn = &schema["$defs"]["to_bot_turn"];
        assert_eq!(turn["additionalProperties"], false);
        assert_eq!(
            turn["properties"]["state"]["properties"]["cells"]["items"]["additionalProperties"],
            false
        );
        assert!(protocol_schema("from_bot")["$defs"]["from_bot_move"]["additionalProperties"].is_null());
    }
}
