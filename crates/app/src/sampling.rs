//! What a sampling request shows, and the answers that are saved for each server.

use protocol::era::{Era, Revision};
use protocol::sampling::{Block, Message, Request};
use serde_json::value::RawValue;

use crate::api::calls::{ForgetAnswerArgs, PromptArgs, SaveAnswerArgs, ServerArgs};
use crate::api::sampling::{
    SamplingBlockView, SamplingMessageView, SamplingToolView, SamplingView, SavedAnswer,
};
use crate::api::{ErrorCode, ErrorView};
use crate::engine::{Input, PageInput, SamplingAsked};
use crate::outcome::{content, pretty};
use crate::{App, run_aside};

impl App {
    pub(crate) async fn sampling_request(
        &self,
        args: PromptArgs,
    ) -> Result<SamplingView, ErrorView> {
        let asked = self
            .engine
            .ask(|answer| {
                Input::Page(PageInput::Sampling {
                    prompt: args.prompt,
                    answer,
                })
            })
            .await?;
        // Pictures and sounds are large.
        run_aside(move || view(&asked)).await?
    }

    pub(crate) async fn saved_answers(
        &self,
        args: ServerArgs,
    ) -> Result<Vec<SavedAnswer>, ErrorView> {
        let saved = self.saved_answers.clone();
        run_aside(move || saved.of(&args.server)).await?
    }

    pub(crate) async fn save_answer(&self, args: SaveAnswerArgs) -> Result<(), ErrorView> {
        let saved = self.saved_answers.clone();
        // No value of the keyring's gets into the file.
        let answer = SavedAnswer {
            name: self.without_secrets(args.name.trim()),
            answer: self.without_secrets(&args.answer),
        };
        run_aside(move || saved.save(&args.server, answer)).await?
    }

    pub(crate) async fn forget_answer(&self, args: ForgetAnswerArgs) -> Result<(), ErrorView> {
        let saved = self.saved_answers.clone();
        run_aside(move || saved.forget(&args.server, Some(&args.name))).await?
    }
}

fn view(asked: &SamplingAsked) -> Result<SamplingView, ErrorView> {
    let params = serde_json::from_str::<&RawValue>(&asked.params).map_err(|error| ErrorView {
        code: ErrorCode::Failed,
        message: format!("The request cannot be read: {error}."),
        hint: Some("It is in the timeline as it came.".to_owned()),
    })?;
    let request = Request::read(params);
    let is_modern = asked.revision.era() == Era::Modern;
    let since = |first: Revision| is_modern || asked.revision.as_str() >= first.as_str();
    Ok(SamplingView {
        system_prompt: request.system_prompt,
        messages: request.messages.into_iter().map(message).collect(),
        model_hints: request.model_hints,
        cost_priority: request.cost_priority,
        speed_priority: request.speed_priority,
        intelligence_priority: request.intelligence_priority,
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        stop_sequences: request.stop_sequences,
        include_context: request.include_context,
        metadata: request.metadata.map(|metadata| pretty(metadata.get())),
        tools: request
            .tools
            .into_iter()
            .map(|tool| SamplingToolView {
                name: tool.name,
                title: tool.title,
                description: tool.description,
                input_schema: tool.input_schema.get().to_owned(),
            })
            .collect(),
        tool_choice: request.tool_choice,
        unknown: request.unknown,
        problems: request.problems,
        takes_blocks: since(Revision::V2025_11_25),
        takes_audio: since(Revision::V2025_03_26),
        is_refusal_sent: asked.is_refusal_sent,
    })
}

fn message(message: Message) -> SamplingMessageView {
    SamplingMessageView {
        role: message.role,
        content: message.content.into_iter().map(block).collect(),
    }
}

fn block(block: Block) -> SamplingBlockView {
    match block {
        Block::Content(inner) => SamplingBlockView::Content {
            content: content(inner),
        },
        Block::ToolUse { id, name, input } => SamplingBlockView::ToolUse {
            id,
            name,
            input: pretty(input.get()),
        },
        Block::ToolResult {
            tool_use_id,
            content: blocks,
            structured,
            is_error,
        } => SamplingBlockView::ToolResult {
            tool_use_id,
            content: blocks.into_iter().map(content).collect(),
            structured: structured.map(|value| pretty(value.get())),
            is_error,
        },
    }
}
