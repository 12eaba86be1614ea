//! A server's icons, looked at by the core: the page fetches nothing, and draws only pictures that are what they claim.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use client::Route;
use protocol::icons::{self, Icon, LARGEST_BYTES, Source};

use crate::App;
use crate::api::ErrorView;
use crate::api::calls::{IconsArgs, ServerArgs};
use crate::api::changes::{IconView, ServerChanges, ServerIcons};
use crate::engine::{AboutInput, Input};

/// Icons of one server that are looked at.
const MOST_LOOKED_AT: usize = 6;
/// Characters of a URI that are shown.
const SHOWN_CHARS: usize = 200;

impl App {
    pub(crate) async fn server_changes(
        &self,
        args: ServerArgs,
    ) -> Result<ServerChanges, ErrorView> {
        self.engine
            .ask(|answer| {
                Input::About(AboutInput::Changes {
                    server: args.server,
                    answer,
                })
            })
            .await
    }

    pub(crate) async fn server_icons(&self, args: IconsArgs) -> Result<ServerIcons, ErrorView> {
        let found = self
            .engine
            .ask(|answer| {
                Input::About(AboutInput::Icons {
                    server: args.server,
                    answer,
                })
            })
            .await?;
        let order = icons::best_first(&found.icons, &args.theme, args.side);
        let mut views = Vec::new();
        let mut is_drawn = false;
        for icon in order
            .into_iter()
            .take(MOST_LOOKED_AT)
            .filter_map(|index| found.icons.get(index))
        {
            // One picture is enough; of the others it is only said whether they may be looked at.
            let looked = look(icon, found.url.as_deref(), &found.route, is_drawn).await;
            is_drawn |= matches!(looked, Ok(Some(_)));
            let (picture, problem) = match looked {
                Ok(picture) => (picture, None),
                Err(problem) => (None, Some(self.redactor.redact_text(&problem).into_owned())),
            };
            let src: String = icon.src.chars().take(SHOWN_CHARS).collect();
            views.push(IconView {
                src: self.redactor.redact_text(&src).into_owned(),
                picture,
                problem,
            });
        }
        Ok(ServerIcons { icons: views })
    }
}

async fn look(
    icon: &Icon,
    server: Option<&str>,
    route: &Route,
    is_enough: bool,
) -> Result<Option<String>, String> {
    let source = icons::source(icon, server)?;
    if is_enough {
        return Ok(None);
    }
    let bytes = match source {
        Source::Inline(base64) if base64.len() > LARGEST_BYTES.div_ceil(3) * 4 + 4 => {
            return Err(format!("It is larger than {} KiB.", LARGEST_BYTES / 1024));
        }
        Source::Inline(base64) => STANDARD
            .decode(base64.trim())
            .map_err(|error| format!("Its data is not valid Base64: {error}."))?,
        Source::Fetch(url) => client::fetch_picture(&url, route, LARGEST_BYTES)
            .await
            .map_err(|error| error.message)?
            .to_vec(),
    };
    let mime_type = icons::judge(&bytes)?;
    Ok(Some(format!(
        "data:{mime_type};base64,{}",
        STANDARD.encode(&bytes)
    )))
}
