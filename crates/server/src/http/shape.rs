//! What answers look like, for the description of the API: said beside each type, and held by the compiler to its fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Something that is answered, as a JSON Schema.
pub trait Shape {
    /// Its schema; what has a name is put among all, and referred to.
    fn shape(all: &mut Shapes) -> Value;
}

/// An object whose fields may stand among those of another.
pub trait Fields {
    /// Adds its fields.
    fn fields(all: &mut Shapes, object: &mut ObjectShape);
}

/// All schemas that have a name.
#[derive(Debug, Default)]
pub struct Shapes(BTreeMap<String, Value>);

/// The fields of an object.
#[derive(Debug, Default)]
pub struct ObjectShape {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
}

impl Shapes {
    /// The schema of a type, by its name. It is made when it is first asked for.
    pub fn named<T: ?Sized>(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        let of = std::any::type_name::<T>();
        if let Some(known) = self.0.get(name) {
            assert_eq!(known["x-type"], of, "two types are called {name}");
        } else {
            // It is known before it is made, since it may hold others of its kind.
            self.0.insert(name.to_owned(), json!({ "x-type": of }));
            let mut schema = make(self);
            schema["x-type"] = of.into();
            self.0.insert(name.to_owned(), schema);
        }
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// A schema that is written elsewhere, under a name; its own definitions come beside it.
    pub fn adopt(&mut self, name: &str, schema: &str) -> Value {
        let own = schema.replace("\"#/$defs/", &format!("\"#/components/schemas/{name}."));
        let mut schema: Value = serde_json::from_str(&own).expect("what we describe is JSON");
        let parts = schema.as_object_mut().and_then(|schema| {
            schema.remove("$schema");
            schema.remove("$defs")
        });
        for (part, schema) in parts.iter().filter_map(Value::as_object).flatten() {
            self.0.insert(format!("{name}.{part}"), schema.clone());
        }
        self.0.insert(name.to_owned(), schema);
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// All of them, by name.
    pub fn done(self) -> Map<String, Value> {
        let nameless = |(name, mut schema): (String, Value)| {
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("x-type");
            }
            (name, schema)
        };
        self.0.into_iter().map(nameless).collect()
    }
}

impl ObjectShape {
    /// One more field that is always there.
    #[must_use]
    pub fn with<T: Shape>(mut self, all: &mut Shapes, name: &'static str) -> Self {
        self.add::<T>(all, name, true);
        self
    }

    /// One more field that is always there, of this schema.
    #[must_use]
    pub fn with_schema(mut self, name: &'static str, schema: Value) -> Self {
        self.properties.insert(name.to_owned(), schema);
        self.required.push(name);
        self
    }

    /// One more field.
    pub fn add<T: Shape>(&mut self, all: &mut Shapes, name: &'static str, is_always_there: bool) {
        self.properties.insert(name.to_owned(), T::shape(all));
        if is_always_there {
            self.required.push(name);
        }
    }

    /// The fields of another object, which stand among these.
    pub fn add_all<T: Fields>(&mut self, all: &mut Shapes) {
        T::fields(all, self);
    }

    /// The schema of the object.
    pub fn done(self) -> Value {
        let Self { properties, required } = self;
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

/// What fits one of these.
pub fn any_of(schemas: &[Value]) -> Value {
    json!({ "anyOf": schemas })
}

/// An object with nothing but this field.
pub fn tagged(name: &'static str, schema: Value) -> Value {
    ObjectShape::default().with_schema(name, schema).done()
}

/// One of these words.
pub fn words(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

macro_rules! plain {
    ($($type:ty),+ => $schema:tt) => {
        $(impl Shape for $type {
            fn shape(_: &mut Shapes) -> Value {
                json!($schema)
            }
        })+
    };
}

plain!(String, &str, str => {"type": "string"});
plain!(bool => {"type": "boolean"});
plain!(u8, u32, u64, usize => {"type": "integer", "minimum": 0});
plain!(i32, i64 => {"type": "integer"});
plain!(f32, f64 => {"type": "number"});

impl<T: Shape> Shape for Option<T> {
    fn shape(all: &mut Shapes) -> Value {
        any_of(&[T::shape(all), json!({"type": "null"})])
    }
}

impl<T: Fields> Fields for Option<T> {
    fn fields(all: &mut Shapes, object: &mut ObjectShape) {
        let before = object.required.len();
        T::fields(all, object);
        object.required.truncate(before);
    }
}

impl<T: Shape> Shape for Box<T> {
    fn shape(all: &mut Shapes) -> Value {
        T::shape(all)
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn shape(all: &mut Shapes) -> Value {
        json!({"type": "array", "items": T::shape(all)})
    }
}

impl<T: Shape> Shape for &[T] {
    fn shape(all: &mut Shapes) -> Value {
        Vec::<T>::shape(all)
    }
}

impl<T: Shape, const N: usize> Shape for [T; N] {
    fn shape(all: &mut Shapes) -> Value {
        json!({"type": "array", "items": T::shape(all), "minItems": N, "maxItems": N})
    }
}

impl<T: Shape> Shape for (T, T) {
    fn shape(all: &mut Shapes) -> Value {
        <[T; 2]>::shape(all)
    }
}

/// Says what the fields of a struct are, as it is told: `field: Type`, and `field = "word": Type` where it is told under
/// another name. Behind `maybe` stand those that are left out where there is nothing to say, behind `flat` those whose own
/// fields stand among the others. A field that is missing here, or has another type, does not compile.
macro_rules! shape {
    ($type:ident $(<$life:lifetime>)? {
        $($field:ident $(= $told:literal)?: $kind:ty),* $(,)?
        $(; maybe $($some:ident: $some_kind:ty),+ $(,)?)?
        $(; flat $($flat:ident: $flat_kind:ty),+ $(,)?)?
    }) => {
        impl $(<$life>)? $crate::http::Fields for $type $(<$life>)? {
            fn fields(all: &mut $crate::http::Shapes, object: &mut $crate::http::ObjectShape) {
                #[allow(clippy::ref_option_ref, reason = "some fields are references")]
                fn _held_to_its_fields $(<$life>)? (value: &$type $(<$life>)?) {
                    let $type { $($field,)* $($($some,)+)? $($($flat,)+)? } = value;
                    $(let _: &$kind = $field;)*
                    $($(let _: &$some_kind = $some;)+)?
                    $($(let _: &$flat_kind = $flat;)+)?
                }
                $(object.add::<$kind>(all, $crate::http::told!($field $($told)?), true);)*
                $($(object.add::<$some_kind>(all, stringify!($some), false);)+)?
                $($(object.add_all::<$flat_kind>(all);)+)?
            }
        }

        impl $(<$life>)? $crate::http::Shape for $type $(<$life>)? {
            fn shape(all: &mut $crate::http::Shapes) -> serde_json::Value {
                all.named::<Self>(stringify!($type), |all| {
                    let mut object = $crate::http::ObjectShape::default();
                    <Self as $crate::http::Fields>::fields(all, &mut object);
                    object.done()
                })
            }
        }
    };
}

/// The name under which a field is told.
macro_rules! told {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $told:literal) => {
        $told
    };
}

pub(crate) use {shape, told};

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(dead_code, reason = "only its fields are looked at")]
    struct Inner {
        n: u32,
    }
    #[allow(dead_code, reason = "only its fields are looked at")]
    struct Outer {
        kind: &'static str,
        list: Vec<Inner>,
        note: Option<String>,
        inner: Inner,
        perhaps: Option<Inner>,
    }
    shape!(Inner { n: u32 });
    shape!(Outer { kind = "type": &'static str, list: Vec<Inner>; maybe note: Option<String>; flat inner: Inner, perhaps: Option<Inner> });

    #[test]
    fn a_type_says_what_is_told_of_it() {
        let mut all = Shapes::default();
        let of = Outer::shape(&mut all);
        assert_eq!(of, json!({"$ref": "#/components/schemas/Outer"}));
        let all = all.done();
        assert_eq!(all["Outer"]["required"], json!(["type", "list", "n"]));
        assert_eq!(
            all["Outer"]["properties"]["list"]["items"],
            json!({"$ref": "#/components/schemas/Inner"})
        );
        assert_eq!(
            all["Inner"],
            json!({
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 0}},
                "required": ["n"],
                "additionalProperties": false,
            })
        );
    }
}
