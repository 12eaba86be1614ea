//! The workbench's other pages, and the dialogs that are reached from everywhere.

use thirtyfour::Key;

use super::scenes::{Camera, choose_tool};

/// Goes through them. The demo server over HTTP is connected.
pub async fn pages(camera: &Camera<'_>) {
    offers(camera).await;
    tasks(camera).await;
    regions(camera).await;
    dialogs(camera).await;
}

async fn offers(camera: &Camera<'_>) {
    let window = camera.window;
    for (tab, list, entry, name) in [
        ("Resources…", "Resources", "Lunch menu…", "15-resources"),
        ("Prompts…", "Prompts", "write_review…", "16-prompts"),
    ] {
        window
            .at("tablist", "Workbench")
            .at("tab", tab)
            .click()
            .await;
        window.at("listbox", list).at("option", entry).click().await;
        camera.take(name).await;
    }
}

async fn tasks(camera: &Camera<'_>) {
    let window = camera.window;
    for tool in ["import_menu", "plan_banquet", "nightly_sync"] {
        let form = choose_tool(window, tool).await;
        form.at("button", "Call").click().await;
    }
    window
        .at("tablist", "Workbench")
        .at("tab", "Tasks…")
        .click()
        .await;
    window
        .at("grid", "Tasks")
        .at("row", "nightly_sync…")
        .shows("failed")
        .await;
    camera.take("17-tasks").await;
}

/// Pages that are one region.
async fn regions(camera: &Camera<'_>) {
    let window = camera.window;
    for (page, name) in [
        ("Logs", "18-logs"),
        ("Findings", "18-findings"),
        ("Composer", "18-composer"),
    ] {
        window
            .at("tablist", "Workbench")
            .at("tab", &format!("{page}…"))
            .click()
            .await;
        window.at("region", page).facts().await;
        camera.take(name).await;
    }
}

async fn dialogs(camera: &Camera<'_>) {
    let window = camera.window;
    window.press(&[Key::Control], ',').await;
    window.at("dialog", "Settings").facts().await;
    camera.take("19-settings").await;
    window.press(&[], Key::Escape).await;
    window.at("dialog", "Settings").is_gone().await;

    window.press(&[], '?').await;
    window.at("dialog", "Keyboard shortcuts").facts().await;
    camera.take("20-shortcuts").await;
    window.press(&[], Key::Escape).await;
    window.at("dialog", "Keyboard shortcuts").is_gone().await;

    window.press(&[Key::Control], 'e').await;
    window.at("dialog", "Export").facts().await;
    camera.take("22-export").await;
    window.press(&[], Key::Escape).await;
    window.at("dialog", "Export").is_gone().await;

    window.press(&[Key::Control, Key::Shift], 'k').await;
    window.at("dialog", "Secrets").facts().await;
    camera.take("23-secrets").await;
    window.press(&[], Key::Escape).await;
    window.at("dialog", "Secrets").is_gone().await;

    let dialog = window.add_server().await;
    dialog.at("textbox", "Command").fill("npx").await;
    dialog.at("button", "Options…").click().await;
    camera.take("21-options").await;
    dialog.at("button", "Cancel").click().await;
    dialog.at("button", "Discard").click().await;
    dialog.is_gone().await;
}
