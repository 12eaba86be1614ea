//! What must be so before GTK starts.

/// Prepares the process for GTK and WebKitGTK. To be called before any thread is started.
///
/// # Errors
/// There is no display to open a window on; the message says what to do.
#[cfg(target_os = "linux")]
pub fn prepare() -> Result<(), String> {
    use std::env;

    /// WebKitGTK's DMA-BUF renderer shows an empty window with some drivers and in most virtual machines.
    const DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

    let display = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !display("DISPLAY") && !display("WAYLAND_DISPLAY") {
        return Err("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). Start it in a desktop session; \
                    `cargo xtask shots` takes pictures of every screen without one."
            .to_owned());
    }
    // The process has no other thread yet, so nobody reads the environment while it changes. What the person set stays.
    if let Err(error) = glib::setenv(DMABUF, "1", false) {
        eprintln!(
            "roundtrip: {DMABUF} could not be set ({error}); if the window stays empty, set it to 1 yourself"
        );
    }
    Ok(())
}

/// Nothing is needed on this platform.
#[cfg(not(target_os = "linux"))]
#[allow(clippy::unnecessary_wraps)] // The signature is Linux's.
pub fn prepare() -> Result<(), String> {
    Ok(())
}
