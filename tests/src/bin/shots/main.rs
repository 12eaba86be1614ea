//! Takes a picture of every screen of the real window, in both themes, at a desktop's size and at a small one.
//!
//! `cargo xtask shots` builds it, brings the screen and says by `ROUNDTRIP_SHOTS_DIR` where the pictures go.

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("shots: the real window can only be driven on Linux");
    ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
#[tokio::main]
async fn main() -> ExitCode {
    let folder = std::env::var_os("ROUNDTRIP_SHOTS_DIR").map_or_else(
        || tests::programs::target().join("shots"),
        std::path::PathBuf::from,
    );
    for theme in ["light", "dark"] {
        tests::window::photograph(theme, async |window| {
            let camera = Camera {
                window,
                theme,
                folder: &folder,
            };
            screens(&camera).await;
        })
        .await;
    }
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
use scenes::{Camera, screens};

#[cfg(target_os = "linux")]
mod pages;
#[cfg(target_os = "linux")]
mod scenes;
