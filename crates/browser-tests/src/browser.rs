//! One window of one person.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rookery_testkit::{TempFolder, tell_skipped};
use serde_json::{Value, json};
use thirtyfour::{
    By, CapabilitiesHelper as _, ChromiumLikeCapabilities as _, DesiredCapabilities, Key, WebDriver,
    WebElement,
};
use tokio::runtime::Runtime;

use crate::site::CLASS;

/// How long the page may take for anything; a machine that tests may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
/// Nothing is asked of the world outside.
const FLAGS: [&str; 12] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--hide-scrollbars",
];

/// How large the window is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A desk.
    Desktop,
    /// A hand, with touch.
    Phone,
    /// The smallest hand, and a desk where everything is four times as large.
    Small,
}

impl Size {
    /// Width and height.
    pub fn pixels(self) -> (u32, u32) {
        match self {
            Self::Desktop => (1280, 900),
            Self::Phone => (390, 844),
            Self::Small => (320, 640),
        }
    }
}

/// One window of one person.
#[derive(Debug)]
pub struct Browser {
    runtime: Runtime,
    driver: Option<WebDriver>,
    chromedriver: Child,
    site: String,
    _profile: TempFolder,
}

fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Starts the driver on any port, which it prints.
fn start_driver(program: &Path) -> (Child, u16) {
    let mut child = Command::new(program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let port = lines.find_map(|line| line.strip_suffix('.')?.rsplit_once("on port ")?.1.parse().ok());
    (child, port.expect("the driver says its port"))
}

impl Browser {
    /// A browser for the site at this address; `None`, and said loudly, where there is none.
    pub fn start(url: String, size: Size) -> Option<Self> {
        let (Some(program), Some(chromium)) = (find("chromedriver"), find("chromium")) else {
            tell_skipped(
                "the page in a browser: there is no chromium or no chromedriver; apt-get install chromium chromium-driver",
            );
            return None;
        };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (chromedriver, port) = start_driver(&program);
        let profile = TempFolder::new("browser");
        let driver = runtime.block_on(async {
            let mut wishes = DesiredCapabilities::chrome();
            wishes.set_binary(chromium.to_str().unwrap()).unwrap();
            for flag in FLAGS {
                wishes.add_arg(flag).unwrap();
            }
            let (width, height) = size.pixels();
            wishes.add_arg(&format!("--window-size={width},{height}")).unwrap();
            wishes.add_arg(&format!("--user-data-dir={}", profile.display())).unwrap();
            wishes.add_arg(&format!("--host-resolver-rules=MAP {CLASS} 127.0.0.1")).unwrap();
            wishes.set("goog:loggingPrefs", json!({"browser": "ALL", "performance": "ALL"})).unwrap();
            WebDriver::new(format!("http://127.0.0.1:{port}"), wishes).await.unwrap()
        });
        let browser = Self { runtime, driver: Some(driver), chromedriver, site: url, _profile: profile };
        browser.resize(size);
        Some(browser)
    }

    fn driver(&self) -> &WebDriver {
        self.driver.as_ref().unwrap()
    }

    /// Sends a command of the developer tools.
    pub fn devtools(&self, command: &str, params: Value) -> Value {
        self.runtime.block_on(self.driver().cdp().send_raw(command, params)).unwrap()
    }

    /// Has the screen of a desk or of a phone from now on.
    pub fn resize(&self, size: Size) {
        self.resize_to(size, size.pixels().1);
    }

    fn resize_to(&self, size: Size, height: u32) {
        let (width, _) = size.pixels();
        let is_phone = size != Size::Desktop;
        let scale = if is_phone { 2 } else { 1 };
        let screen =
            json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone});
        self.devtools("Emulation.setDeviceMetricsOverride", screen);
        self.devtools("Emulation.setTouchEmulationEnabled", json!({"enabled": is_phone}));
    }

    /// Light or dark, as a system would say it.
    pub fn prefer(&self, theme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": theme}]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Takes the network away, or gives it back.
    pub fn offline(&self, is_off: bool) {
        self.devtools("Network.enable", json!({}));
        let conditions =
            json!({"offline": is_off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.devtools("Network.emulateNetworkConditions", conditions);
    }

    /// Opens an address of the site.
    pub fn open(&self, path: &str) {
        let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.site) };
        self.runtime.block_on(self.driver().goto(url)).unwrap();
    }

    /// Goes to the page before this one, as the button of the browser does.
    pub fn back(&self) {
        self.runtime.block_on(self.driver().back()).unwrap();
    }

    /// Goes to the page after this one.
    pub fn forward(&self) {
        self.runtime.block_on(self.driver().forward()).unwrap();
    }

    /// How much wider the page is than its screen. The room that is kept free for a scroll bar makes it narrower, which is no fault.
    pub fn sticks_out(&self) -> i64 {
        let wide = self.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        wide.as_i64().unwrap()
    }

    /// Where it is, without the site.
    pub fn path(&self) -> String {
        let url = self.runtime.block_on(self.driver().current_url()).unwrap();
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}{query}", url.path())
    }

    /// The value of some script: `return …`.
    pub fn script(&self, script: &str, args: Vec<Value>) -> Value {
        self.runtime.block_on(self.driver().execute(script, args)).unwrap().json().clone()
    }

    /// The value of an expression.
    pub fn value(&self, expression: &str) -> Value {
        self.script(&format!("return {expression};"), vec![])
    }

    /// The value that a script gives to its last argument.
    pub fn script_later(&self, script: &str) -> Value {
        self.runtime.block_on(self.driver().execute_async(script, vec![])).unwrap().json().clone()
    }

    /// What the API says at an address, asked by the page.
    pub fn api(&self, path: &str) -> Value {
        self.fetch(path, "null")
    }

    /// The same, with something to send.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let options = json!({
            "method": "POST", "headers": {"Content-Type": "application/json"}, "body": body.to_string(),
        });
        self.fetch(path, &options.to_string())
    }

    fn fetch(&self, path: &str, options: &str) -> Value {
        let path = json!(path);
        self.script_later(&format!(
            "const done = arguments[arguments.length - 1]; fetch({path}, {options} ?? {{}})\
             .then((answer) => answer.json()).then(done, (error) => done(String(error)));"
        ))
    }

    /// Waits until an expression is true.
    pub fn wait(&self, expression: &str) {
        let begin = Instant::now();
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            assert!(
                begin.elapsed() < PATIENCE,
                "it never became true: {expression}\nat {}\n{}",
                self.path(),
                self.value("document.body.innerText")
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits until something can be seen.
    pub fn see(&self, css: &str) {
        let css = json!(css);
        self.wait(&format!("[...document.querySelectorAll({css})].some((node) => node.checkVisibility())"));
    }

    /// Waits until a text can be seen.
    pub fn read(&self, css: &str, text: &str) {
        let (css, text) = (json!(css), json!(text));
        self.wait(&format!(
            "[...document.querySelectorAll({css})].some((node) => node.innerText.includes({text}))"
        ));
    }

    fn element(&self, css: &str) -> WebElement {
        self.see(css);
        let all = self.runtime.block_on(self.driver().find_all(By::Css(css))).unwrap();
        let visible = |element: &WebElement| self.runtime.block_on(element.is_displayed()).unwrap_or(false);
        all.into_iter().find(visible).unwrap_or_else(|| panic!("nothing to see of {css}"))
    }

    /// Clicks on it, as soon as it can be seen.
    pub fn click(&self, css: &str) {
        let element = self.element(css);
        self.runtime.block_on(element.click()).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Types into it.
    pub fn write(&self, css: &str, text: &str) {
        let element = self.element(css);
        self.runtime.block_on(async {
            element.clear().await.unwrap();
            element.send_keys(text).await.unwrap();
        });
    }

    /// Presses a key, wherever the focus is.
    pub fn key(&self, key: Key) {
        self.keys(&String::from(char::from(key)));
    }

    /// Goes on with Tab until something has the focus.
    pub fn tab_to(&self, css: &str) {
        let is_there = format!("Boolean(document.activeElement?.matches({}))", json!(css));
        for _ in 0..150 {
            if self.value(&is_there) == json!(true) {
                return;
            }
            self.key(Key::Tab);
        }
        panic!("Tab does not come to {css}: {}", self.value("document.activeElement?.outerHTML"));
    }

    /// Types, wherever the focus is.
    pub fn keys(&self, text: &str) {
        let actions = self.driver().action_chain().send_keys(text);
        self.runtime.block_on(actions.perform()).unwrap();
    }

    /// Two clicks, faster than an answer can come.
    pub fn double_click(&self, css: &str) {
        let element = self.element(css);
        self.runtime.block_on(self.driver().action_chain().double_click_element(&element).perform()).unwrap();
    }

    /// Drags one thing onto another.
    pub fn drag(&self, from: &str, to: &str) {
        let (from, to) = (self.element(from), self.element(to));
        let actions = self.driver().action_chain().drag_and_drop_element(&from, &to);
        self.runtime.block_on(actions.perform()).unwrap();
    }

    /// Touches the middle of something with a finger.
    pub fn touch(&self, css: &str) {
        self.see(css);
        let place = self.value(&format!(
            "(({{x, y, width, height}}) => ({{x: x + width / 2, y: y + height / 2}}))(document.querySelector({}).getBoundingClientRect())",
            Value::from(css)
        ));
        self.devtools("Input.dispatchTouchEvent", json!({"type": "touchStart", "touchPoints": [place]}));
        self.devtools("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []}));
    }

    /// One more tab of the same person, in front now; gives back what leads to the first.
    pub fn second_tab(&self) -> thirtyfour::WindowHandle {
        self.runtime.block_on(async {
            let first = self.driver().window().await.unwrap();
            let tab = self.driver().new_tab().await.unwrap();
            self.driver().switch_to_window(tab).await.unwrap();
            first
        })
    }

    /// Brings another tab to the front.
    pub fn switch_to(&self, tab: thirtyfour::WindowHandle) {
        self.runtime.block_on(self.driver().switch_to_window(tab)).unwrap();
    }

    /// The page as a PNG: what is on the screen, or all of it.
    pub fn picture(&self, size: Size, is_whole: bool) -> Vec<u8> {
        if is_whole {
            let height = self.value("document.documentElement.scrollHeight").as_u64().unwrap();
            self.resize_to(size, u32::try_from(height).unwrap().clamp(size.pixels().1, 6000));
        }
        let picture = self.runtime.block_on(self.driver().screenshot_as_png()).unwrap();
        self.resize(size);
        picture
    }

    /// Forgets what the console says of requests that were refused, which a test wanted; nothing else may be there.
    pub fn expect_only_refusals(&self) {
        let log = self.runtime.block_on(self.driver().browser_log()).unwrap();
        let wrong: Vec<_> = log
            .iter()
            .filter(|entry| matches!(entry.level.as_str(), "SEVERE" | "WARNING"))
            .filter(|entry| !entry.message.contains("the server responded with a status of 4"))
            .collect();
        assert!(wrong.is_empty(), "the console says {wrong:#?}");
    }

    /// The page made no error and asked nobody but its server. What it said of connections that the test took away is left out.
    pub fn expect_quiet(&self) {
        let log = self.runtime.block_on(self.driver().browser_log()).unwrap();
        let is_wrong = |message: &str| {
            !message.contains("ERR_INTERNET_DISCONNECTED") && !message.contains("ERR_CONNECTION_REFUSED")
        };
        let wrong: Vec<_> = log
            .iter()
            .filter(|entry| matches!(entry.level.as_str(), "SEVERE" | "WARNING") && is_wrong(&entry.message))
            .collect();
        assert!(wrong.is_empty(), "the console says {wrong:#?}");
        let log = self.runtime.block_on(self.driver().get_log("performance")).unwrap();
        for entry in log {
            let message: Value = serde_json::from_str(&entry.message).unwrap();
            let event = &message["message"];
            if event["method"] != "Network.requestWillBeSent" {
                continue;
            }
            let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
            // The last two are the browser's own pages, which it may open beside ours.
            let inside = ["data:", "about:", "blob:", "chrome:", "chrome-untrusted:"];
            let sockets = self.site.replace("http", "ws");
            let mut own = [self.site.as_str(), &sockets].into_iter().chain(inside);
            assert!(own.any(|begin| url.starts_with(begin)), "the page asked {url}");
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.expect_quiet();
        }
        if let Some(driver) = self.driver.take() {
            // A browser that is gone already is what is wanted.
            let _ = self.runtime.block_on(driver.quit());
        }
        let _ = self.chromedriver.kill();
        let _ = self.chromedriver.wait();
    }
}
