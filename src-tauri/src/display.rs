//! What must be so before GTK starts.

/// Prepares the process for GTK and WebKitGTK. May replace the process by itself with a fuller environment.
///
/// # Errors
/// There is no display to open a window on; the message says what to do.
#[cfg(target_os = "linux")]
pub fn prepare() -> Result<(), String> {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// WebKitGTK's DMA-BUF renderer shows an empty window with some drivers and in most virtual machines.
    const DMABUF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

    let display = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !display("DISPLAY") && !display("WAYLAND_DISPLAY") {
        return Err("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). Start it in a desktop session; \
                    `cargo xtask shots` takes pictures of every screen without one."
            .to_owned());
    }
    if env::var_os(DMABUF).is_none() {
        // Setting a variable of a running process is unsafe; starting over with it set is not. The process id stays.
        let failed = env::current_exe().map(|program| {
            let mut arguments = env::args_os();
            let mut again = Command::new(program);
            if let Some(name) = arguments.next() {
                again.arg0(name);
            }
            again.args(arguments).env(DMABUF, "1").exec()
        });
        let (Ok(error) | Err(error)) = failed;
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
