//! Windows: hidden until their pages stand, and bound to their own address. The main one is made here.

use std::env;
use std::time::Duration;

use tauri::webview::{Color, NewWindowResponse, PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, Manager, Theme, Url, WebviewWindow, Wry};

use crate::ready::{self, Part};
use crate::start::DataFolder;

/// The main window's name.
pub const LABEL: &str = "main";

/// How long the window stays hidden at most when its page does not report that it stands.
const HIDDEN_AT_MOST: Duration = Duration::from_secs(3);

/// Opens the main window as the configuration describes it.
///
/// # Errors
/// The window system refused; or the configuration has no main window.
pub fn open(shell: &AppHandle, folder: &DataFolder) -> tauri::Result<()> {
    let config = shell
        .config()
        .app
        .windows
        .iter()
        .find(|window| window.label == LABEL)
        .ok_or(tauri::Error::WindowNotFound)?
        .clone();
    make(WebviewWindowBuilder::from_config(shell, &config)?, folder)?;
    Ok(())
}

/// Makes a window of a page: bound to its own address, hidden until the page stands, without a white flash.
///
/// # Errors
/// The window system refused.
pub fn make(
    builder: WebviewWindowBuilder<'_, Wry, AppHandle>,
    folder: &DataFolder,
) -> tauri::Result<WebviewWindow> {
    let mut builder = builder
        // Whatever a server sends, the page can neither go elsewhere nor open anything.
        .on_navigation(is_own_address)
        .on_new_window(|_url, _features| NewWindowResponse::Deny)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Finished {
                show_first(&window);
            }
        });
    if let Some(folder) = folder.web_view_folder() {
        builder = builder.data_directory(folder);
    }
    let window = builder.build()?;
    if let Some(theme) = chosen_theme() {
        // On Linux a window is made with the system's theme whatever its builder says.
        window.set_theme(Some(theme))?;
    }
    // No white flash before the first paint.
    window.set_background_color(Some(background(window.theme()?)))?;

    let shown = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(HIDDEN_AT_MOST).await;
        show_first(&shown);
    });
    Ok(window)
}

/// The main window, while there is one.
pub fn main(shell: &AppHandle) -> Option<WebviewWindow> {
    shell.get_webview_window(LABEL)
}

/// Shows the main window again and gives it the focus: what a second start of Roundtrip asks for.
pub fn bring_forward(shell: &AppHandle) {
    if let Some(window) = main(shell) {
        raise(&window);
    }
}

/// Shows a window, wherever it was put, and gives it the focus.
pub fn raise(window: &WebviewWindow) {
    let raised = window
        .unminimize()
        .and_then(|()| window.show())
        .and_then(|()| window.set_focus());
    if let Err(error) = raised {
        tracing::warn!(%error, "a window could not be brought forward");
    }
}

/// Shows a window if it was never shown. A reload of the page must not raise a window that the person put away.
fn show_first(window: &WebviewWindow) {
    let shown = window
        .is_visible()
        .and_then(|visible| if visible { Ok(()) } else { window.show() });
    match shown {
        Ok(()) => ready::note(Part::Shown),
        // A window that was closed meanwhile needs no showing.
        Err(error) => tracing::debug!(%error, "a window could not be shown"),
    }
}

/// The theme that `ROUNDTRIP_THEME` (`dark` or `light`) asks for; the system's when unset.
fn chosen_theme() -> Option<Theme> {
    match env::var("ROUNDTRIP_THEME").ok()?.as_str() {
        "dark" => Some(Theme::Dark),
        "light" => Some(Theme::Light),
        _ => None,
    }
}

/// The interface's background in each theme (`--bg` in ui/src/tokens.css).
fn background(theme: Theme) -> Color {
    match theme {
        Theme::Dark => Color(0x16, 0x18, 0x1d, 0xff),
        _ => Color(0xff, 0xff, 0xff, 0xff),
    }
}

/// Whether a navigation stays inside the page that is compiled in.
fn is_own_address(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // Windows serves the page under this name.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        // A frame of the page that shows what a server sent: it has no address, and the policy lets it go nowhere.
        "about" => url.path() == "srcdoc",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_stays_at_its_own_address() {
        for (address, own) in [
            ("tauri://localhost/", true),
            ("tauri://localhost/index.html#tools", true),
            ("http://tauri.localhost/", true),
            ("tauri://elsewhere/", false),
            ("https://example.com/", false),
            ("http://localhost:8080/", false),
            ("http://tauri.localhost.example.com/", false),
            ("file:///etc/passwd", false),
            ("data:text/html,hello", false),
            ("javascript:alert(1)", false),
            ("about:srcdoc", true),
            ("about:blank", false),
        ] {
            let url: Url = address.parse().expect("a URL");
            assert_eq!(is_own_address(&url), own, "{address}");
        }
    }
}
