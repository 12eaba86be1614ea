//! What the tests stand on: a protected server, and a person with a browser.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use app::api::feed::PromptAsk;
use app::api::servers::EraChoice;
use app::api::sign_in::{SignInState, SignInView};
use reqwest::Client;
use serde_json::{Value, json};
use tests::core::Core;
use tests::listening::Listening;
use tests::person;

/// A protected demo server that outlives cores.
pub struct Protected {
    server: Listening,
}

impl Protected {
    pub fn start(arguments: &[&str]) -> Self {
        let server = Listening::demo(&[&["--protected"], arguments].concat());
        Self { server }
    }

    pub fn url(&self) -> &str {
        self.server.url()
    }

    pub async fn added_to(&self, core: &Core) -> String {
        core.add_url("Protected", self.url(), &[], EraChoice::Auto)
            .await
    }
}

/// A person who reads the consent page and allows some of it.
pub struct Person {
    pub browser: Client,
    /// How many pages were seen.
    pub seen: AtomicUsize,
    /// What is not allowed.
    pub refuses: &'static [&'static str],
}

impl Default for Person {
    fn default() -> Self {
        Self {
            browser: Client::builder().no_proxy().build().expect("a client"),
            seen: AtomicUsize::new(0),
            refuses: &[],
        }
    }
}

impl Person {
    /// Answers the page at this address, and gives the page that the way back ends on.
    pub async fn consents(&self, url: &str) -> String {
        let shown = self.browser.get(url).send().await.expect("a page");
        assert!(shown.status().is_success(), "{url}");
        let action = shown.url().join("/auth/consent").expect("a URL");
        let page = shown.text().await.expect("a page");
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        for input in page.split("<input ").skip(1) {
            let attribute = |name: &str| {
                let (_, rest) = input.split_once(&format!("{name}=\""))?;
                Some(rest.split_once('"')?.0.to_owned())
            };
            let name = attribute("name").expect("a name");
            let value = attribute("value").expect("a value");
            if !self.refuses.contains(&value.as_str()) {
                form.append_pair(&name, &value);
            }
        }
        form.append_pair("decision", "allow");
        let answered = self
            .browser
            .post(action)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.finish())
            .send()
            .await
            .expect("the way back");
        answered.text().await.expect("a page")
    }

    /// Consents to every page that the core opens, and agrees to every question to sign in.
    pub async fn serves(&self, core: &Core) {
        let consenting = async {
            loop {
                let opened = core.browser().opened();
                let seen = self.seen.swap(opened.len(), Ordering::Relaxed);
                for url in &opened[seen..] {
                    let last = self.consents(url).await;
                    assert!(last.contains("You can close this page"), "{last}");
                }
                tokio::time::sleep(person::LOOK).await;
            }
        };
        tokio::join!(consenting, person::agrees(core));
    }

    /// Does this while it serves.
    pub fn during<'a, T>(
        &'a self,
        core: &'a Core,
        what: impl Future<Output = T> + 'a,
    ) -> Pin<Box<dyn Future<Output = T> + 'a>> {
        Box::pin(async move {
            tokio::select! {
                came = what => came,
                () = self.serves(core) => unreachable!("it serves for ever"),
            }
        })
    }

    /// Signs in.
    pub async fn signs_in(&self, core: &Core, server: &str) -> SignInView {
        let view = self.during(core, person::signs_in(core, server)).await;
        assert_eq!(view.error, None, "{view:#?}");
        assert_eq!(view.news.state, SignInState::SignedIn, "{view:#?}");
        view
    }
}

pub async fn view(core: &Core, server: &str) -> SignInView {
    core.must("sign_in_view", json!({ "server": server })).await
}

/// Waits until the sign-in is in this state.
pub async fn until_state(core: &Core, server: &str, state: SignInState) {
    core.until(&format!("{state:?}"), |seen| {
        let view = seen.servers.iter().find(|view| view.id == server)?;
        let news = view.sign_in.as_ref()?;
        (news.state == state).then_some(())
    })
    .await;
}

/// Waits until the access token has run out, as its claims have it.
pub async fn until_expired(core: &Core, server: &str) {
    let end = claims(&view(core, server).await)["exp"]
        .as_u64()
        .expect("exp");
    let end = UNIX_EPOCH + Duration::from_secs(end + 1);
    while SystemTime::now() <= end {
        tokio::time::sleep(person::LOOK).await;
    }
}

/// Waits for the question to sign in; gives what more is wanted.
pub async fn question(core: &Core) -> (u32, Vec<String>) {
    core.until("a question to sign in", |seen| {
        seen.prompts.iter().find_map(|prompt| match &prompt.ask {
            PromptAsk::SignIn { more, .. } => Some((prompt.id, more.clone())),
            _ => None,
        })
    })
    .await
}

/// How often a line of the timeline holds this.
pub async fn count(core: &Core, text: &str) -> usize {
    let timeline = core.unfolded().await;
    timeline.lines().filter(|line| line.contains(text)).count()
}

/// The claims of the access token.
pub fn claims(view: &SignInView) -> Value {
    let signed_in = view.signed_in.as_ref().expect("signed in");
    let claims = signed_in.tokens[0].claims.as_deref().expect("claims");
    serde_json::from_str(claims).expect("JSON")
}
