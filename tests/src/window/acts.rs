//! What a person does again and again, in one word each.

use super::{Spot, Window};

impl Window {
    /// Opens the dialog that adds a server.
    pub async fn add_server(&self) -> Spot<'_> {
        self.at("navigation", "Servers")
            .at("button", "Add server")
            .click()
            .await;
        let dialog = self.at("dialog", "Add a server");
        dialog.facts().await;
        dialog
    }

    /// Adds a server that is a command, with this button of the dialog.
    pub async fn add_command(&self, name: &str, command: &str, arguments: &str, button: &str) {
        let dialog = self.add_server().await;
        dialog
            .fill_in(&[
                ("Name", name),
                ("Command", command),
                ("Arguments", arguments),
            ])
            .await;
        dialog.at("button", button).click().await;
        dialog.is_gone().await;
    }

    /// Adds a server that is a URL, and connects it.
    pub async fn add_url(&self, name: &str, url: &str) {
        let dialog = self.add_server().await;
        dialog.choose("Transport", "URL (HTTP)").await;
        dialog.fill_in(&[("URL", url), ("Name", name)]).await;
        dialog.at("button", "Save and connect").click().await;
        dialog.is_gone().await;
        self.connected(name).await;
    }

    /// Connects a server by one click on its entry.
    pub async fn connect(&self, server: &str) {
        self.at("navigation", "Servers")
            .at("button", &format!("Connect {server}"))
            .click()
            .await;
        self.connected(server).await;
    }

    /// Connects a server with this era, by its menu.
    pub async fn connect_as(&self, server: &str, era: &str) {
        self.at("navigation", "Servers")
            .at("button", &format!("More for {server}"))
            .click()
            .await;
        self.at("menuitem", &format!("Connect as {era}"))
            .click()
            .await;
        self.connected(server).await;
    }

    /// Waits until a server's entry says that it is connected, and the workbench shows it.
    pub async fn connected(&self, server: &str) {
        self.at("navigation", "Servers")
            .at("button", &format!("{server}, connected…"))
            .facts()
            .await;
        self.at("contentinfo", "Status").shows("connected").await;
    }

    /// Chooses a tool, and gives its form.
    pub async fn choose_tool(&self, tool: &str) -> Spot<'_> {
        self.at("tab", "Tools…").click().await;
        // Only the rows in sight are drawn.
        self.at("searchbox", "Filter tools").fill(tool).await;
        self.at("listbox", "Tools")
            .at("option", &format!("{tool} …"))
            .click()
            .await;
        let form = self.at("region", &format!("Tool {tool}"));
        form.facts().await;
        form
    }

    /// Calls a tool with these text fields, and gives its form.
    pub async fn call(&self, tool: &str, fields: &[(&str, &str)]) -> Spot<'_> {
        let form = self.choose_tool(tool).await;
        form.fill_in(fields).await;
        form.at("button", "Call").click().await;
        form
    }
}
