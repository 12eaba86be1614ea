//! Reaching a server: the secrets in their places, the process started, the link opened.

use std::collections::HashMap;
use std::path::PathBuf;

use client::{Link, LinkSpec, Route};
use percent_encoding::{AsciiSet, utf8_percent_encode};
use tokio::sync::oneshot;

use super::Maker;
use super::failure::{Failure, link_failure};
use crate::api::servers::{Endpoint, NamedValue};
use crate::catalog::Reach;
use crate::engine::input::{self, HandshakeStep, Input, LinkRole, ProcessPlan};
use crate::engine::loopback;
use crate::references;

impl Maker {
    /// How the server is reached, with the secrets in their places.
    pub(super) async fn reach(&self) -> Result<LinkSpec, Failure> {
        match &self.entry.reach {
            Reach::DemoStdio => Ok(LinkSpec::Stdio {
                command: loopback::demo_program()?,
                args: vec!["stdio".to_owned()],
                env: Vec::new(),
                folder: None,
            }),
            Reach::DemoHttp => {
                let url = self.launch_demo().await?;
                Ok(LinkSpec::Http {
                    url,
                    headers: Vec::new(),
                    route: Route::default(),
                })
            }
            Reach::DemoProtected => {
                self.step("starting the demo server").await;
                let url = self.demo.url(&self.closing).await?;
                Ok(LinkSpec::Http {
                    url,
                    headers: Vec::new(),
                    route: Route::default(),
                })
            }
            Reach::Endpoint(Endpoint::Stdio {
                command,
                args,
                env,
                folder,
            }) => Ok(LinkSpec::Stdio {
                command: command.clone(),
                args: self.arguments(args).await?,
                env: self.resolved(env).await?,
                folder: folder.as_deref().map(expand_home),
            }),
            Reach::Endpoint(Endpoint::Http { url, headers }) => Ok(LinkSpec::Http {
                url: self.url(url).await?,
                headers: self.resolved(headers).await?,
                route: Route {
                    proxy: self.entry.options.proxy.clone(),
                    ca_file: self.entry.options.ca_file.as_deref().map(expand_home),
                },
            }),
        }
    }

    async fn resolved(&self, values: &[NamedValue]) -> Result<Vec<(String, String)>, Failure> {
        let mut resolved = Vec::with_capacity(values.len());
        for value in values {
            let text = self.with_secrets(&value.value, &value.name, None).await?;
            resolved.push((value.name.clone(), text));
        }
        Ok(resolved)
    }

    async fn arguments(&self, args: &[String]) -> Result<Vec<String>, Failure> {
        let mut resolved = Vec::with_capacity(args.len());
        for arg in args {
            resolved.push(self.with_secrets(arg, "an argument", None).await?);
        }
        Ok(resolved)
    }

    /// The URL, with each secret encoded so that it ends no part of it.
    async fn url(&self, url: &str) -> Result<String, Failure> {
        self.with_secrets(url, "the URL", Some(references::IN_URL))
            .await
    }

    /// A text with values in the places of their names.
    async fn with_secrets(
        &self,
        text: &str,
        used_as: &str,
        encoded: Option<&'static AsciiSet>,
    ) -> Result<String, Failure> {
        let mut values = HashMap::new();
        for name in references::names_in(text) {
            self.step(&format!("reading {used_as} from the keyring"))
                .await;
            let value =
                crate::secret_values::read(&self.keyring, &self.redactor, name, used_as).await?;
            let value = match encoded {
                Some(set) => utf8_percent_encode(&value, set).to_string(),
                None => value,
            };
            values.insert(name, value);
        }
        Ok(references::replaced(text, |name| {
            values.get(name).cloned().unwrap_or_default()
        }))
    }

    pub(super) async fn open(&self, reach: &LinkSpec) -> Result<(), Failure> {
        let process = match reach {
            LinkSpec::Stdio {
                command,
                args,
                folder,
                ..
            } => Some(ProcessPlan {
                command: std::iter::once(command)
                    // As they stand in the catalog, with the names of secrets.
                    .chain(match &self.entry.reach {
                        Reach::Endpoint(Endpoint::Stdio { args, .. }) => args,
                        _ => args,
                    })
                    .cloned()
                    .collect(),
                folder: folder.as_ref().map(|folder| folder.display().to_string()),
            }),
            LinkSpec::Http { .. } => None,
        };
        if process.is_some() {
            self.step("starting the process").await;
        }
        let new = self.new_link(process).await?;
        let address = match (&self.entry.reach, reach) {
            (Reach::DemoHttp | Reach::DemoProtected, LinkSpec::Http { url, .. }) => {
                Some(url.clone())
            }
            _ => None,
        };
        // Not a part of this task, which is aborted when the person disconnects: whoever closes the connection is
        // to learn of a process that was just being started.
        let (engine, connection, reach) = (self.engine.clone(), self.connection, reach.clone());
        let opening = self.closing.spawn(async move {
            let opened = Link::open(new.link, reach, new.inbox).await;
            let failed = opened.as_ref().err().map(link_failure);
            let step = HandshakeStep::LinkOpened {
                connection,
                link: new.link,
                role: LinkRole::Speaks,
                opened,
                address,
            };
            if let Err(Input::Handshake(HandshakeStep::LinkOpened {
                opened: Ok(link), ..
            })) = engine.hand_over(Input::Handshake(step)).await
            {
                link.close().await;
            }
            failed
        });
        match opening.await {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(error.into()),
            Err(_) => Err(input::ended().into()),
        }
    }

    /// Starts the bundled server on a free loopback port and learns where it listens.
    async fn launch_demo(&self) -> Result<String, Failure> {
        self.step("starting the demo server").await;
        let spec = loopback::demo_http_spec()?;
        let command = match &spec {
            LinkSpec::Stdio { command, args, .. } => std::iter::once(command.clone())
                .chain(args.iter().cloned())
                .collect(),
            LinkSpec::Http { .. } => Vec::new(),
        };
        let new = self
            .new_link(Some(ProcessPlan {
                command,
                folder: None,
            }))
            .await?;
        let link = new.link;
        let launched = loopback::launch(spec, new).await;
        let (opened, result) = match launched {
            Ok((link, url)) => (Ok(link), Ok(url)),
            Err(error) => {
                let view = link_failure(&error);
                (Err(error), Err(view.into()))
            }
        };
        self.tell(HandshakeStep::LinkOpened {
            connection: self.connection,
            link,
            role: LinkRole::Launches,
            opened,
            address: None,
        })
        .await;
        result
    }

    async fn new_link(&self, process: Option<ProcessPlan>) -> Result<input::NewLink, Failure> {
        let (answer, reply) = oneshot::channel();
        self.tell(HandshakeStep::NewLink {
            connection: self.connection,
            process,
            answer,
        })
        .await;
        reply
            .await
            .ok()
            .flatten()
            .ok_or_else(|| input::ended().into())
    }
}

/// `~` at the start of a folder is the person's home.
pub(in crate::engine) fn expand_home(folder: &str) -> PathBuf {
    match (folder.strip_prefix('~'), directories::BaseDirs::new()) {
        (Some(rest), Some(dirs)) if rest.is_empty() || rest.starts_with('/') => {
            dirs.home_dir().join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(folder),
    }
}
