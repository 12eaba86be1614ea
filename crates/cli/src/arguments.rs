//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Roundtrip without a window: one request to one MCP server, for scripts and CI.
#[derive(Debug, Parser)]
#[command(name = "roundtrip-cli", version, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub errand: Errand,
}

const EXIT_CODES: &str = "\
Exit codes:
    0  complete                 5  a prompt was not answered
    1  the tool gave an error   6  timed out
    2  wrong usage              7  failed on the way
    3  the server's error       8  a fault of this program or machine
    4  not connected          130  interrupted     141  nobody reads the output

docs/cli.md describes the events of --json and the answers file.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Errand {
    /// Sends one request and shows what comes until its final reply
    Run(RunArguments),
    /// Lists what a server offers, or the servers of the catalog
    List(ListArguments),
    /// Writes a recording, JSON lines or HAR in another form; known secrets are named where their values stand
    Export(ExportArguments),
    /// Makes a recording, which Roundtrip opens, of JSON lines, HAR or a compressed recording
    Import(ImportArguments),
}

/// `roundtrip-cli export`
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// A recording (.mcpr, .mcpr.gz), JSON lines (.jsonl) or HAR (.har), also those of browsers
    pub file: PathBuf,
    /// What to write
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub form: Form,
    /// Where to write it; beside the file, with another ending, when absent. It must not be there yet
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    #[command(flatten)]
    pub data: Data,
}

/// `roundtrip-cli import`
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// JSON lines (.jsonl), HAR (.har) or a recording (.mcpr, .mcpr.gz)
    pub file: PathBuf,
    /// Where to write the recording; beside the file, ending in .mcpr, when absent. It must not be there yet
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    #[command(flatten)]
    pub data: Data,
}

/// Whose secrets are looked for.
#[derive(Debug, Args)]
pub struct Data {
    /// Roundtrip's data folder, whose servers' secrets are looked for (default: `ROUNDTRIP_DATA_DIR`, or the person's own)
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
}

/// The form of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A recording, compressed: everything
    Recording,
    /// An event a line: everything
    Jsonl,
    /// HTTP Archive 1.2: the HTTP exchanges, for the tools of browsers
    Har,
    /// One page that shows the timeline, offline
    Html,
    /// A summary in Markdown, for an issue report
    Markdown,
}

/// `roundtrip-cli run`
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The method, such as tools/call
    #[arg(long)]
    pub method: String,
    /// The parameters: a JSON object, @FILE to read it from a file, or - to read it from standard input
    #[arg(long, value_name = "JSON")]
    pub params: Option<String>,
    /// Answers to what the server asks meanwhile: a JSON file (see docs/cli.md). Without one, no prompt is answered
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Follow a list to its last page
    #[arg(long)]
    pub all_pages: bool,
    /// Do not ask for progress notifications
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub reach: Reach,
}

/// `roundtrip-cli list`
#[derive(Debug, Args)]
pub struct ListArguments {
    /// What to list; without it, everything that the server declares
    #[arg(value_enum)]
    pub what: Option<Listed>,
    #[command(flatten)]
    pub reach: Reach,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// The servers of the catalog; nothing is connected to
    Servers,
    /// Tools
    Tools,
    /// Resources
    Resources,
    /// Resource templates
    Templates,
    /// Prompts
    Prompts,
    /// The methods that the server's capabilities allow
    Methods,
}

/// Which server, and how it is spoken to.
#[derive(Debug, Args)]
pub struct Reach {
    /// The name of a server in Roundtrip's catalog, or an http(s) URL. For a program, write its command after --
    #[arg(long, num_args = 0..=1, default_missing_value = "", value_name = "NAME | URL")]
    pub server: Option<String>,
    /// The program of a stdio server and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// The era to speak
    #[arg(long, value_enum)]
    pub era: Option<Era>,
    /// Exactly this revision, 2024-11-05 to 2026-07-28
    #[arg(long)]
    pub revision: Option<String>,
    /// A setting of the server, such as `round_limit=5` or `advertise.sampling=true`; repeatable
    #[arg(long = "option", value_name = "KEY=VALUE")]
    pub options: Vec<String>,
    /// A header for each request to a URL; repeatable
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// A variable for the command's environment; repeatable
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// The command's working folder; this one when absent
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<PathBuf>,
    /// How long all of it may take, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<f64>,
    /// Write the recording (.mcpr, which Roundtrip opens) to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Roundtrip's data folder, whose catalog --server NAME reads (default: `ROUNDTRIP_DATA_DIR`, or the person's own)
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Write events as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Show what the connection does beside the request as well
    #[arg(long, short)]
    pub verbose: bool,
}

/// The era to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Era {
    /// Whichever the server speaks
    Auto,
    /// 2026-07-28, without a fallback
    Modern,
    /// initialize, up to 2025-11-25
    Legacy,
}
