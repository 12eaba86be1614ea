//! What shows notifications on a desktop, and the numbers at the icons of programs: the two services of a session bus that
//! a window speaks to when nobody looks at it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use zbus::connection::Builder;
use zbus::message::Type;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, MatchRule, interface};

use super::Window;

const SERVICE: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// A notification as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// What it is answered by.
    pub id: u32,
    /// The program that it is from.
    pub program: String,
    /// Its first line.
    pub summary: String,
    /// What is below.
    pub body: String,
    /// What can be chosen: keys and words, in turn.
    pub actions: Vec<String>,
}

/// The service that shows notifications, played by a test on its bus.
pub struct Notifications {
    bus: Connection,
    shown: Arc<Mutex<Vec<Notification>>>,
    /// The notifications that their program took back.
    taken_back: Arc<Mutex<Vec<u32>>>,
    /// What was last said to stand at the icon; nothing when it is not shown.
    badges: Arc<Mutex<Vec<Option<i64>>>>,
}

struct Shower {
    shown: Arc<Mutex<Vec<Notification>>>,
    taken_back: Arc<Mutex<Vec<u32>>>,
}

#[interface(name = "org.freedesktop.Notifications")]
#[allow(clippy::unused_self, reason = "a service's methods are all alike")]
impl Shower {
    #[allow(clippy::too_many_arguments, reason = "the specification's")]
    fn notify(
        &self,
        app_name: String,
        replaces_id: u32,
        app_icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedValue>,
        expire_timeout: i32,
    ) -> u32 {
        let _unread = (app_icon, hints, expire_timeout);
        let mut shown = self.shown.lock().expect("no panic");
        let id = match replaces_id {
            0 => u32::try_from(shown.len()).expect("few") + 1,
            given => given,
        };
        shown.push(Notification {
            id,
            program: app_name,
            summary,
            body,
            actions,
        });
        id
    }

    async fn close_notification(
        &self,
        id: u32,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
    ) -> zbus::fdo::Result<()> {
        self.taken_back.lock().expect("no panic").push(id);
        Self::notification_closed(&emitter, id, 3).await?;
        Ok(())
    }

    /// As many desktops: they read markup in a body, so what a program passes on had better have none.
    fn get_capabilities(&self) -> Vec<String> {
        ["actions", "body", "body-markup", "body-hyperlinks"]
            .map(str::to_owned)
            .to_vec()
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        let words = ["Test", "Roundtrip", "1", "1.2"];
        let [name, vendor, version, specification] = words.map(str::to_owned);
        (name, vendor, version, specification)
    }

    #[zbus(signal)]
    async fn action_invoked(
        emitter: &SignalEmitter<'_>,
        id: u32,
        action_key: &str,
    ) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(
        emitter: &SignalEmitter<'_>,
        id: u32,
        reason: u32,
    ) -> zbus::Result<()>;
}

impl Notifications {
    /// Takes the service's name on the session bus, and listens for numbers at icons.
    pub async fn serve() -> Self {
        let shown = Arc::<Mutex<Vec<Notification>>>::default();
        let taken_back = Arc::<Mutex<Vec<u32>>>::default();
        let shower = Shower {
            shown: Arc::clone(&shown),
            taken_back: Arc::clone(&taken_back),
        };
        let bus = Builder::session()
            .and_then(|builder| builder.name(SERVICE))
            .and_then(|builder| builder.serve_at(PATH, shower))
            .expect("the service");
        let bus = bus
            .build()
            .await
            .expect("nothing else shows notifications here");
        let badges = Arc::default();
        let notifications = Self {
            bus,
            shown,
            taken_back,
            badges,
        };
        notifications.listen_for_badges().await;
        notifications
    }

    /// Waits for the next notification beside so many.
    pub async fn next(&self, window: &Window, before: usize) -> Notification {
        window
            .until("a notification", async || self.all().get(before).cloned())
            .await
    }

    /// What was shown so far.
    pub fn all(&self) -> Vec<Notification> {
        self.shown.lock().expect("no panic").clone()
    }

    /// Waits until the program has taken this notification back.
    pub async fn is_taken_back(&self, window: &Window, id: u32) {
        window
            .until("the end of the notification", async || {
                let taken_back = self.taken_back.lock().expect("no panic");
                taken_back.contains(&id).then_some(())
            })
            .await;
    }

    /// The person clicks a notification, again while nothing comes of it: a program listens a moment after it has asked.
    pub async fn click_until(&self, window: &Window, id: u32, mut came: impl AsyncFnMut() -> bool) {
        let went = window
            .poll(async || {
                self.click(id).await;
                for _ in 0..20 {
                    if came().await {
                        return Some(());
                    }
                    tokio::time::sleep(super::PAUSE).await;
                }
                None
            })
            .await;
        assert!(went.is_some(), "the click leads nowhere");
    }

    async fn click(&self, id: u32) {
        let emitter = SignalEmitter::new(&self.bus, PATH).expect("a path");
        Shower::action_invoked(&emitter, id, "default")
            .await
            .expect("it is told");
    }

    /// Waits until this number stands at the icon; nothing for none.
    pub async fn badge_is(&self, window: &Window, wanted: Option<i64>) {
        let last = || self.badges.lock().expect("no panic").last().copied();
        let came = window
            .poll(async || (last() == Some(wanted)).then_some(()))
            .await;
        assert!(
            came.is_some(),
            "{wanted:?} should stand at the icon, not {:?}",
            self.badges.lock().expect("no panic")
        );
    }

    async fn listen_for_badges(&self) {
        use futures_util::StreamExt as _;

        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .interface("com.canonical.Unity.LauncherEntry")
            .and_then(|rule| rule.member("Update"))
            .expect("a rule")
            .build();
        let mut updates = zbus::MessageStream::for_match_rule(rule, &self.bus, None)
            .await
            .expect("the bus");
        let badges = Arc::clone(&self.badges);
        tokio::spawn(async move {
            while let Some(Ok(update)) = updates.next().await {
                let read = update
                    .body()
                    .deserialize::<(String, HashMap<String, OwnedValue>)>();
                let Ok((program, said)) = read else {
                    continue;
                };
                assert_eq!(program, "application://Roundtrip.desktop");
                let count = said
                    .get("count")
                    .and_then(|count| i64::try_from(count).ok());
                let is_shown = said
                    .get("count-visible")
                    .and_then(|shown| bool::try_from(shown).ok());
                let badge = count.filter(|_| is_shown == Some(true));
                badges.lock().expect("no panic").push(badge);
            }
        });
    }
}
