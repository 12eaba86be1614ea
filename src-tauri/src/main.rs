//! Roundtrip's shell: its windows, one rpc command, one feed channel for each page. Thin on purpose.
//!
//! What is deliberately absent: state (the core owns all of it), events by name (the feed is one channel), permissions
//! for the page beyond its own commands, and any way for the page to leave its own address or to open another.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod attention;
mod badge;
mod browser;
mod commands;
mod display;
mod exit;
mod notices;
mod pop_outs;
mod ready;
mod start;
mod window;

use std::process::ExitCode;

use tauri::RunEvent;
use tauri_plugin_window_state::StateFlags;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    if let Err(message) = display::prepare() {
        eprintln!("roundtrip: {message}");
        return ExitCode::FAILURE;
    }
    // Logs are for those who build Roundtrip; what a person needs to know is in the window.
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into()))
        .with_writer(std::io::stderr)
        .init();

    let data_folder = start::data_folder();
    let mut builder = tauri::Builder::default();
    if data_folder.shared_by_instances() {
        builder = builder.plugin(tauri_plugin_single_instance::init(
            |app, _arguments, _folder| {
                window::bring_forward(app);
            },
        ));
    }
    let mut window_state = tauri_plugin_window_state::Builder::new()
        // The window shows itself once its page stands.
        .with_state_flags(StateFlags::all() - StateFlags::VISIBLE)
        // A prompt's window is as new as its prompt.
        .with_filter(|label| label == window::LABEL);
    if let Some(file) = data_folder.window_state_file() {
        window_state = window_state.with_filename(file);
    }

    let built = builder
        .plugin(tauri_plugin_dialog::init())
        .plugin(window_state.build())
        .invoke_handler(tauri::generate_handler![
            commands::rpc,
            commands::attach,
            commands::pop_out,
            commands::close_asked,
            commands::zoom,
            commands::pick_folders,
            commands::save_content_as,
            commands::save_export,
            commands::import_file
        ])
        .on_window_event(pop_outs::on_event)
        .setup(move |app| {
            start::start(app.handle(), data_folder);
            Ok(())
        })
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            let code = app.run_return(|app, event| {
                if let RunEvent::ExitRequested { api, code, .. } = event {
                    exit::on_requested(app, &api, code);
                }
            });
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
        Err(error) => {
            eprintln!("roundtrip: the window system did not start: {error}");
            ExitCode::FAILURE
        }
    }
}
