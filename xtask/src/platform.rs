//! What the app is built and shown with, on each platform.

use crate::program::{answer, command};
use crate::{Outcome, debian, interface};

/// Installs, or names, what the app is built with. Says nothing when all of it is there.
///
/// # Errors
/// Something is missing that is not installed for the person; the message says how to get it.
pub fn ready_to_build() -> Outcome {
    if cfg!(target_os = "macos") && answer(command("xcode-select").arg("-p")).is_none() {
        return Err(
            "Apple's command line tools are missing. Get them with: xcode-select --install".into(),
        );
    }
    if cfg!(windows) && !has_webview2() {
        return Err("Microsoft's WebView2 runtime is missing. Get it from \
                    https://developer.microsoft.com/microsoft-edge/webview2 (the Evergreen installer)."
            .into());
    }
    debian::install(&[debian::TO_BUILD])?;
    interface::check_node()
}

/// Whether a window can be opened here.
pub fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// Whether the registry knows `WebView2`, for the machine or for the person.
fn has_webview2() -> bool {
    const CLIENT: &str = r"Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}";
    [
        r"HKLM\SOFTWARE\WOW6432Node",
        r"HKLM\SOFTWARE",
        r"HKCU\Software",
    ]
    .iter()
    .any(|root| {
        answer(command("reg").args(["query", &format!(r"{root}\{CLIENT}"), "/v", "pv"])).is_some()
    })
}
