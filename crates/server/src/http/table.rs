//! All addresses in one table: who may use them, and what they take. The router, its test and the description for programs
//! are made from it.

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{Next, from_fn};
use axum::routing::{MethodFilter, on};
use serde_json::{Value, json};

use super::error::Error;
use super::{ApiError, Caller, Shape, Shapes};

/// Who may use an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Anybody; who has no session gets one where that is needed.
    Anybody,
    /// Anybody with a session or a token; what it does depends on what belongs to them.
    Known,
    /// Whoever has claimed a name, in a session of a browser.
    Person,
    /// The operator.
    Operator,
}

impl Access {
    /// Whether whoever asks may come in at all; what belongs to whom is checked behind.
    fn check(self, caller: Option<&Caller>) -> Result<(), ApiError> {
        let caller = caller.ok_or_else(|| ApiError::ours(&"a request that no guard has seen"))?;
        match self {
            Self::Anybody => {}
            Self::Known => {
                caller.expect()?;
            }
            Self::Person => {
                caller.expect_person()?;
            }
            Self::Operator => {
                caller.expect_operator()?;
            }
        }
        Ok(())
    }
}

/// One address and its method.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The method.
    pub method: Method,
    /// The address, with `{id}` for what varies.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What can be asked for after a `?`: name and kind of JSON, with a `!` behind it where it must be there.
    pub query: &'static [(&'static str, &'static str)],
    /// The schema of its body.
    pub body: Option<Value>,
    /// What its body is, if that is no JSON.
    pub takes: Option<&'static str>,
    /// What it answers when all is well.
    pub ok: u16,
    /// What is in that answer, as JSON.
    pub answer: Option<fn(&mut Shapes) -> Value>,
    /// What else it can be.
    pub others: &'static [&'static str],
}

/// A router that knows what is in it.
#[derive(Debug)]
pub struct Routes<S> {
    router: Router<S>,
    list: Vec<Listed>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// Without any.
    pub fn new() -> Self {
        Self { router: Router::new(), list: vec![] }
    }

    /// One more that is read.
    #[must_use]
    pub fn get<H, T>(self, path: &'static str, access: Access, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, S>,
        T: 'static,
    {
        self.add(Method::GET, path, access, summary, handler)
    }

    /// One more that changes something.
    #[must_use]
    pub fn post<H, T>(self, path: &'static str, access: Access, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, S>,
        T: 'static,
    {
        self.add(Method::POST, path, access, summary, handler)
    }

    /// One more that takes something away.
    #[must_use]
    pub fn delete<H, T>(self, path: &'static str, access: Access, summary: &'static str, handler: H) -> Self
    where
        H: Handler<T, S>,
        T: 'static,
    {
        self.add(Method::DELETE, path, access, summary, handler).ok(204)
    }

    fn add<H, T>(
        mut self,
        method: Method,
        path: &'static str,
        access: Access,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Handler<T, S>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(method.clone()).expect("it is a method of HTTP");
        let checked = from_fn(move |request: Request, next: Next| async move {
            access.check(request.extensions().get::<Caller>())?;
            Ok::<_, ApiError>(next.run(request).await)
        });
        self.router = self.router.route(path, on(filter, handler).route_layer(checked));
        let (query, others) = (&[], &[]);
        let (body, takes, answer) = (None, None, None);
        self.list.push(Listed { method, path, access, summary, query, body, takes, ok: 200, answer, others });
        self
    }

    fn change(mut self, change: impl FnOnce(&mut Listed)) -> Self {
        if let Some(last) = self.list.last_mut() {
            change(last);
        }
        self
    }

    /// What the last one can be asked for.
    #[must_use]
    pub fn query(self, query: &'static [(&'static str, &'static str)]) -> Self {
        self.change(|listed| listed.query = query)
    }

    /// The body of the last one: an object with these properties, of which some must be there.
    #[must_use]
    pub fn body(self, properties: &Value, required: &[&str]) -> Self {
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        self.change(|listed| listed.body = Some(schema))
    }

    /// The body of the last one is of this kind, and no JSON.
    #[must_use]
    pub fn takes(self, kind: &'static str) -> Self {
        self.change(|listed| listed.takes = Some(kind))
    }

    /// What the last one tells when all is well.
    #[must_use]
    pub fn answers<T: Shape>(self) -> Self {
        self.answers_as(T::shape)
    }

    /// The same where no type says it.
    #[must_use]
    pub fn answers_as(self, shape: fn(&mut Shapes) -> Value) -> Self {
        self.change(|listed| listed.answer = Some(shape))
    }

    /// What else the answer of the last one can be, by its kind of content.
    #[must_use]
    pub fn or(self, kinds: &'static [&'static str]) -> Self {
        self.change(|listed| listed.others = kinds)
    }

    /// The status of the last one when all is well.
    #[must_use]
    pub fn ok(self, status: u16) -> Self {
        self.change(|listed| listed.ok = status)
    }

    /// The router, and what is in it.
    pub fn done(self) -> (Router<S>, Vec<Listed>) {
        (self.router, self.list)
    }
}

impl<S: Clone + Send + Sync + 'static> Default for Routes<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The description of the API for programs, as `OpenAPI` 3.1 has it.
pub fn openapi(list: &[Listed]) -> Value {
    let mut paths = serde_json::Map::new();
    let mut shapes = Shapes::default();
    for listed in list.iter().filter(|listed| listed.path.starts_with("/api/v1/")) {
        let path = paths.entry(listed.path).or_insert_with(|| json!({}));
        path[listed.method.as_str().to_ascii_lowercase()] = operation(listed, &mut shapes);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Rookery",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "One referee for board games between programs and people. Programs send \
                            `Authorization: Bearer TOKEN`.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": shapes.done(),
        },
    })
}

fn operation(listed: &Listed, shapes: &mut Shapes) -> Value {
    let parts = listed.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path =
        parts.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    let in_query = listed.query.iter().map(|(name, kind)| {
        let required = kind.ends_with('!');
        let schema = match kind.trim_end_matches('!') {
            // All of them count something.
            "integer" => json!({"type": "integer", "minimum": 0}),
            kind => json!({ "type": kind }),
        };
        json!({"name": name, "in": "query", "required": required, "schema": schema})
    });
    let error = json!({
        "description": "What was wrong, what was expected, what to do.",
        "content": {"application/json": {"schema": Error::shape(shapes)}},
    });
    let mut done = json!({"description": "Done."});
    if let Some(shape) = listed.answer {
        done["content"]["application/json"]["schema"] = shape(shapes);
    }
    for kind in listed.others {
        done["content"][kind]["schema"] = json!({"type": "string"});
    }
    let mut operation = json!({
        "summary": listed.summary,
        "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
        "responses": {listed.ok.to_string(): done, "default": error},
    });
    if let Some(body) = &listed.body {
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": body}}});
    }
    if let Some(kind) = listed.takes {
        operation["requestBody"]["required"] = true.into();
        operation["requestBody"]["content"][kind]["schema"] = json!({"type": "string", "format": "binary"});
    }
    if listed.access != Access::Anybody {
        operation["security"] = json!([{"token": []}]);
    }
    operation
}
