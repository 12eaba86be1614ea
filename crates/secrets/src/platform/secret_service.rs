//! What only the Secret Service can say.

use secret_service::blocking::SecretService;
use secret_service::{EncryptionType, Error};

use crate::store::Condition;

/// How the default keyring is, without unlocking it.
pub(super) fn condition() -> Condition {
    match is_locked() {
        Ok(true) => Condition::Locked,
        Ok(false) => Condition::Unlocked,
        Err(Error::NoResult) => Condition::NoKeyring,
        Err(error) => {
            tracing::debug!(%error, "the Secret Service does not say how it is");
            Condition::Absent
        }
    }
}

fn is_locked() -> Result<bool, Error> {
    // No secret crosses this connection, so it needs no encryption.
    let service = SecretService::connect(EncryptionType::Plain)?;
    let keyring = service.get_default_collection()?;
    keyring.is_locked()
}

/// Lets the keyring ask for its password, and waits for it.
pub(super) fn unlock() -> Result<(), String> {
    let unlocked = || -> Result<bool, Error> {
        let service = SecretService::connect(EncryptionType::Plain)?;
        let keyring = service.get_default_collection()?;
        if keyring.is_locked()? {
            keyring.unlock()?;
        }
        keyring.is_locked()
    };
    match unlocked() {
        Ok(false) => Ok(()),
        Ok(true) => Err("its password was not given".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether an error of the store means that there is no default keyring.
pub(super) fn has_no_keyring(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref::<Error>(), Some(Error::NoResult))
}
