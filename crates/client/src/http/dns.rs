//! Name resolution whose failure can be told from other failures.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The host name has no address.
#[derive(Debug, thiserror::Error)]
#[error("the name {host} cannot be resolved: {source}")]
pub(super) struct NameNotResolved {
    pub(super) host: String,
    source: std::io::Error,
}

/// The system's resolver.
#[derive(Debug)]
pub(super) struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = name.as_str();
            match tokio::net::lookup_host((host, 0)).await {
                Ok(addresses) => {
                    let addresses: Vec<SocketAddr> = addresses.collect();
                    Ok(Box::new(addresses.into_iter()) as Addrs)
                }
                Err(source) => Err(NameNotResolved {
                    host: host.to_owned(),
                    source,
                }
                .into()),
            }
        })
    }
}
