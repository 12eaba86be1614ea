//! Where a journal's bytes are: in its file, and in memory what is not there yet.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How full a chunk of memory gets before another one is begun.
const CHUNK_BYTE_LEN: usize = 256 * 1024;

/// A growing run of bytes. The last part of it, or all of it, is in memory.
#[derive(Debug)]
pub(crate) struct Store {
    backing: Option<Backing>,
    /// In order and without gaps, up to `end`. What one call of `append` wrote lies in one chunk.
    chunks: VecDeque<Chunk>,
    end: u64,
    problem: Option<String>,
}

#[derive(Debug)]
struct Backing {
    /// Shared with those who read blocks of it while the journal goes on.
    file: Arc<File>,
    path: PathBuf,
    /// How far the file holds what was appended.
    flushed: u64,
    writable: bool,
    /// Cut the file here before anything is written to it.
    cut_at: Option<u64>,
}

#[derive(Debug)]
struct Chunk {
    start: u64,
    bytes: Vec<u8>,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl Store {
    /// In memory only.
    pub(crate) fn in_memory() -> Store {
        Store {
            backing: None,
            chunks: VecDeque::new(),
            end: 0,
            problem: None,
        }
    }

    /// Over a file that holds `end` good bytes; what follows them is cut off by the first write.
    pub(crate) fn over(file: File, path: &Path, end: u64, writable: bool) -> Store {
        let backing = Backing {
            file: Arc::new(file),
            path: path.to_owned(),
            flushed: end,
            writable,
            cut_at: Some(end),
        };
        Store {
            backing: Some(backing),
            chunks: VecDeque::new(),
            end,
            problem: None,
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.backing.as_ref().map(|backing| backing.path.as_path())
    }

    /// How many bytes there are.
    pub(crate) fn byte_len(&self) -> u64 {
        self.end
    }

    /// How many of them are in memory only, though they belong into the file.
    pub(crate) fn waiting_byte_len(&self) -> u64 {
        self.backing
            .as_ref()
            .map_or(0, |backing| self.end - backing.flushed)
    }

    /// The file, to read from what lies before [`Store::memory_start`].
    pub(crate) fn file(&self) -> Option<&Arc<File>> {
        self.backing.as_ref().map(|backing| &backing.file)
    }

    /// From where on the bytes are in memory. No record lies on both sides of it.
    pub(crate) fn memory_start(&self) -> u64 {
        self.chunks.front().map_or(self.end, |chunk| chunk.start)
    }

    /// Bytes that are in memory, over as many calls of `append` as wrote them; fewer where some are not.
    pub(crate) fn copy(&self, offset: u64, byte_len: usize) -> Vec<u8> {
        let mut copied = Vec::with_capacity(byte_len);
        let first = self.chunks.partition_point(|chunk| chunk.end() <= offset);
        for chunk in self.chunks.iter().skip(first) {
            let wanted = byte_len - copied.len();
            let from = (offset + copied.len() as u64).saturating_sub(chunk.start);
            let rest = usize::try_from(from)
                .ok()
                .and_then(|from| chunk.bytes.get(from..))
                .unwrap_or_default();
            copied.extend_from_slice(&rest[..rest.len().min(wanted)]);
            if copied.len() == byte_len {
                break;
            }
        }
        copied
    }

    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Lets `write` add bytes at the end, about `size_hint` of them.
    pub(crate) fn append(&mut self, size_hint: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let fits = self
            .chunks
            .back()
            .is_some_and(|last| last.bytes.capacity() - last.bytes.len() >= size_hint);
        if !fits {
            let bytes = Vec::with_capacity(CHUNK_BYTE_LEN.max(size_hint));
            self.chunks.push_back(Chunk {
                start: self.end,
                bytes,
            });
        }
        if let Some(last) = self.chunks.back_mut() {
            write(&mut last.bytes);
            self.end = last.end();
        }
    }

    /// Fills `into` with what lies at `offset`, which one call of `append` wrote.
    pub(crate) fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let after = self.chunks.partition_point(|chunk| chunk.start <= offset);
        if let Some(chunk) = after
            .checked_sub(1)
            .and_then(|index| self.chunks.get(index))
        {
            let from = usize::try_from(offset - chunk.start).map_err(io::Error::other)?;
            let part = chunk
                .bytes
                .get(from..)
                .and_then(|rest| rest.get(..into.len()));
            into.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
            return Ok(());
        }
        let Some(backing) = &self.backing else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        read_exact_at(&backing.file, into, offset)
    }

    /// Writes what waits. What could not be written stays in memory and is tried again next time.
    pub(crate) fn flush(&mut self) {
        let Some(backing) = &mut self.backing else {
            return;
        };
        if backing.flushed == self.end {
            return;
        }
        if !backing.writable {
            self.problem = Some(format!(
                "{} was opened for reading only, so what is added to it is kept in memory.",
                backing.path.display()
            ));
            return;
        }
        match backing.write(&mut self.chunks) {
            Ok(()) => self.problem = None,
            Err(error) => {
                self.problem = Some(format!(
                    "The recording {} cannot be written ({error}). Nothing is lost: what is missing in the file is \
                     kept in memory and is written as soon as that works again. Free some space, or export the \
                     recording to another disk.",
                    backing.path.display()
                ));
            }
        }
    }
}

impl Backing {
    fn write(&mut self, chunks: &mut VecDeque<Chunk>) -> io::Result<()> {
        if let Some(end) = self.cut_at {
            if self.file.metadata()?.len() > end {
                self.file.set_len(end)?;
            }
            self.cut_at = None;
        }
        while let Some(chunk) = chunks.front_mut() {
            let from = usize::try_from(self.flushed.saturating_sub(chunk.start))
                .map_err(io::Error::other)?;
            let mut rest = chunk.bytes.get(from..).unwrap_or_default();
            while !rest.is_empty() {
                match write_at(&self.file, rest, self.flushed) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(written) => {
                        self.flushed += written as u64;
                        rest = rest.get(written..).unwrap_or_default();
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            if chunks.len() == 1 {
                // The last chunk's memory is used again, unless one huge frame made it huge.
                if let Some(mut last) = chunks
                    .pop_front()
                    .filter(|last| last.bytes.capacity() <= 2 * CHUNK_BYTE_LEN)
                {
                    last.start = self.flushed;
                    last.bytes.clear();
                    chunks.push_back(last);
                }
                break;
            }
            chunks.pop_front();
        }
        Ok(())
    }
}

/// Opens a file to record into: only its owner may read it, and one that holds something already is refused.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    owner_only(&mut options);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.len() > 0 {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if metadata.is_file() {
        restrict(&file)?;
    }
    Ok(file)
}

#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, offset)
}

// On Windows a file in the person's profile is theirs alone by the folder's access list.
#[cfg(windows)]
fn owner_only(_options: &mut OpenOptions) {}

#[cfg(windows)]
#[allow(clippy::unnecessary_wraps)] // one signature on all systems
fn restrict(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        match std::os::windows::fs::FileExt::seek_read(
            file,
            &mut into[done..],
            offset + done as u64,
        ) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, offset)
}
