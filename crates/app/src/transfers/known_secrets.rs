//! The redactor learns what the keyring holds, so that nothing of it leaves in a file.

use crate::App;
use crate::api::ErrorView;
use crate::engine::{self, Input};
use crate::secret_values;

impl App {
    /// Teaches the redactor every secret of the catalog's servers and of saved calls. Gives what could not be read,
    /// in sentences: a value that nobody can read cannot be looked for.
    ///
    /// # Errors
    /// The core is ending.
    pub(crate) async fn learn_secrets(&self) -> Result<Vec<String>, ErrorView> {
        let servers = self.servers(crate::api::calls::Nothing {}).await?;
        let names = self
            .engine
            .ask(|answer| Input::SecretNames { answer })
            .await?;
        let mut unread = Vec::new();
        let mut problems = Vec::new();
        for name in names {
            if let Err(error) =
                secret_values::read(&self.keyring, &self.redactor, &name, "a server").await
            {
                unread.push(name);
                problems.push(error.message);
            }
        }
        for server in servers {
            let read =
                engine::load_sign_in(&self.engine, &self.keyring, &self.redactor, &server.id).await;
            if let Err(error) = read {
                unread.push(format!("the sign-in of {}", server.name));
                problems.push(error.message);
            }
        }
        for (call, error) in self.learn_call_secrets().await {
            unread.push(call);
            problems.push(error.to_string());
        }
        let Some(problem) = problems.first() else {
            return Ok(Vec::new());
        };
        Ok(vec![format!(
            "These secrets could not be read, so their values were not looked for: {}. {problem}",
            unread.join(", ")
        )])
    }
}
