//! The door to a store for asynchronous code.

use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;
use tokio::sync::oneshot;

use crate::SecretsError;
use crate::memory::MemoryStore;
use crate::platform::PlatformStore;
use crate::store::{Condition, SecretStore, StoreState};

/// For how long a store may keep silent, unless [`Keyring::with_time_limit`] says otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// How many requests may wait for a store.
const QUEUE: usize = 64;

/// The door to a store; clones lead to the same one.
///
/// The methods must be called inside a tokio runtime with its timer on. One that is given up (its future is dropped,
/// or the time limit passes) before the store has begun with it never reaches the store.
#[derive(Clone)]
pub struct Keyring {
    name: &'static str,
    way: Way,
    time_limit: Duration,
    /// What is kept for this session only; it goes before what the store has.
    session: Arc<Mutex<MemoryStore>>,
}

#[derive(Clone)]
enum Way {
    /// To the thread that owns the store. It ends when the last door is gone.
    Thread(SyncSender<Request>),
    /// Straight to a store that never blocks.
    Direct(Arc<Mutex<MemoryStore>>),
}

type Reply<T> = oneshot::Sender<Result<T, SecretsError>>;

enum Request {
    Get {
        name: String,
        reply: Reply<Option<SecretString>>,
    },
    Set {
        name: String,
        value: SecretString,
        reply: Reply<()>,
    },
    Delete {
        name: String,
        reply: Reply<()>,
    },
    Describe {
        reply: Reply<StoreState>,
    },
    Unlock {
        reply: Reply<()>,
    },
}

impl Keyring {
    /// The store of the operating system. Nothing is asked of it before the first call.
    pub fn platform() -> Keyring {
        Keyring::new(PlatformStore::new())
    }

    /// A store that forgets, for tests and for values that are to last for this session only.
    pub fn in_memory() -> Keyring {
        let store = MemoryStore::new();
        Keyring {
            name: store.name(),
            way: Way::Direct(Arc::new(Mutex::new(store))),
            time_limit: TIME_LIMIT,
            session: Arc::default(),
        }
    }

    /// A door to any store, which moves to a thread of its own.
    pub fn new(store: impl SecretStore + 'static) -> Keyring {
        let name = store.name();
        let (sender, receiver) = sync_channel(QUEUE);
        // Detached on purpose: a store that blocks for ever must not keep the app from ending. If no thread can be
        // started, the receiver is dropped and every call says that the store failed.
        if let Err(error) = std::thread::Builder::new()
            .name("secrets".to_owned())
            .spawn(move || serve(store, &receiver))
        {
            tracing::error!(%error, "no thread for the secret store");
        }
        Keyring {
            name,
            way: Way::Thread(sender),
            time_limit: TIME_LIMIT,
            session: Arc::default(),
        }
    }

    /// The same door with another limit on how long the store may keep silent.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Keyring {
        Keyring { time_limit, ..self }
    }

    /// The store's name, as its users know it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Keeps a value under `name` for this session only, in memory: where the store does not take it, and the person
    /// wants it so. The store is not asked.
    ///
    /// # Errors
    /// The name cannot be used.
    pub fn set_for_session(&self, name: &str, value: &SecretString) -> Result<(), SecretsError> {
        lock(&self.session).set(name, value)
    }

    /// Whether the value under `name` is kept for this session only.
    pub fn is_for_session(&self, name: &str) -> bool {
        let of_session = lock(&self.session).get(name);
        of_session.is_ok_and(|value| value.is_some())
    }

    /// Asks the store to ask for its password, where it is locked.
    ///
    /// # Errors
    /// It stays locked, or is not there.
    pub async fn unlock(&self) -> Result<(), SecretsError> {
        match &self.way {
            Way::Direct(_) => Ok(()),
            Way::Thread(sender) => self.ask(sender, |reply| Request::Unlock { reply }).await,
        }
    }

    /// The value under `name`; none when there is none, or when the whole store is absent.
    pub async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretsError> {
        if let Some(value) = lock(&self.session).get(name)? {
            return Ok(Some(value));
        }
        match &self.way {
            Way::Direct(store) => lock(store).get(name),
            Way::Thread(sender) => {
                self.ask(sender, |reply| Request::Get {
                    name: name.to_owned(),
                    reply,
                })
                .await
            }
        }
    }

    /// Keeps a value under `name`, in place of the one that was there.
    pub async fn set(&self, name: &str, value: SecretString) -> Result<(), SecretsError> {
        let kept = match &self.way {
            Way::Direct(store) => lock(store).set(name, &value),
            Way::Thread(sender) => {
                self.ask(sender, |reply| Request::Set {
                    name: name.to_owned(),
                    value,
                    reply,
                })
                .await
            }
        };
        kept.and_then(|()| lock(&self.session).delete(name))
    }

    /// Takes the value away; that there is none is no error.
    pub async fn delete(&self, name: &str) -> Result<(), SecretsError> {
        let was_for_session = self.is_for_session(name);
        lock(&self.session).delete(name)?;
        let deleted = self.delete_kept(name).await;
        match deleted {
            // There is no store that could have an earlier value.
            Err(SecretsError::Absent { .. } | SecretsError::NoKeyring { .. })
                if was_for_session =>
            {
                Ok(())
            }
            other => other,
        }
    }

    async fn delete_kept(&self, name: &str) -> Result<(), SecretsError> {
        match &self.way {
            Way::Direct(store) => lock(store).delete(name),
            Way::Thread(sender) => {
                self.ask(sender, |reply| Request::Delete {
                    name: name.to_owned(),
                    reply,
                })
                .await
            }
        }
    }

    /// Which store it is, and how it is. Never asks the person for anything.
    pub async fn describe(&self) -> StoreState {
        match &self.way {
            Way::Direct(store) => lock(store).describe(),
            Way::Thread(sender) => self
                .ask(sender, |reply| Request::Describe { reply })
                .await
                .unwrap_or(StoreState {
                    name: self.name,
                    condition: Condition::Silent,
                }),
        }
    }

    async fn ask<T>(
        &self,
        sender: &SyncSender<Request>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, SecretsError> {
        let store = self.name;
        let (reply, answer) = oneshot::channel();
        sender
            .try_send(request(reply))
            .map_err(|error| match error {
                TrySendError::Full(_) => SecretsError::Busy { store },
                TrySendError::Disconnected(_) => gone(store),
            })?;
        match tokio::time::timeout(self.time_limit, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(gone(store)),
            Err(_) => Err(SecretsError::Silent {
                store,
                waited: self.time_limit,
            }),
        }
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring")
            .field("store", &self.name)
            .finish_non_exhaustive()
    }
}

/// The thread's loop. A request whose asker has gone is passed over: a value must not be written long after the
/// person was told that it was not.
fn serve(mut store: impl SecretStore, requests: &Receiver<Request>) {
    while let Ok(request) = requests.recv() {
        match request {
            Request::Get { name, reply } if !reply.is_closed() => {
                reply.send(store.get(&name)).ok();
            }
            Request::Set { name, value, reply } if !reply.is_closed() => {
                reply.send(store.set(&name, &value)).ok();
            }
            Request::Delete { name, reply } if !reply.is_closed() => {
                reply.send(store.delete(&name)).ok();
            }
            Request::Unlock { reply } if !reply.is_closed() => {
                reply.send(store.unlock()).ok();
            }
            Request::Describe { reply } if !reply.is_closed() => {
                reply.send(Ok(store.describe())).ok();
            }
            _ => {}
        }
    }
}

fn lock(store: &Mutex<MemoryStore>) -> std::sync::MutexGuard<'_, MemoryStore> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone(store: &'static str) -> SecretsError {
    SecretsError::Failed {
        store,
        why: "the part of this app that talks to it has stopped".to_owned(),
    }
}
