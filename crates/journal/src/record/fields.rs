//! The parts that payloads are made of.

use bytes::Bytes;

use super::Unreadable;

/// Writing parts at the end of a buffer.
pub(super) trait Put {
    /// A varint.
    fn number(&mut self, number: u64);
    /// A text.
    fn text(&mut self, text: &str);
    /// An optional text.
    fn optional(&mut self, text: Option<&str>);

    /// Several varints.
    fn numbers<const N: usize>(&mut self, numbers: [&u32; N]) {
        for number in numbers {
            self.number(u64::from(*number));
        }
    }

    /// Several texts.
    fn texts<const N: usize>(&mut self, texts: [&String; N]) {
        for text in texts {
            self.text(text);
        }
    }
}

impl Put for Vec<u8> {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.push((number & 0x7f) as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.extend_from_slice(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        match text {
            None => self.push(0),
            Some(text) => {
                self.number(text.len() as u64 + 1);
                self.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// Reading parts from the start of a payload.
pub(super) struct Fields<'a> {
    payload: &'a Bytes,
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn of(payload: &'a Bytes) -> Self {
        Fields { payload, at: 0 }
    }

    pub(super) fn byte(&mut self) -> Result<u8, Unreadable> {
        let byte = *self.payload.get(self.at).ok_or(Unreadable::Short)?;
        self.at += 1;
        Ok(byte)
    }

    pub(super) fn micros(&mut self) -> Result<u64, Unreadable> {
        let slice = self.slice(8)?;
        Ok(slice
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub(super) fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Unreadable::Meaningless);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Unreadable::Meaningless)
    }

    /// A varint that fits in 32 bits.
    pub(super) fn small(&mut self) -> Result<u32, Unreadable> {
        u32::try_from(self.number()?).map_err(|_| Unreadable::Meaningless)
    }

    /// A varint of which 0 means none and anything else one more than the number.
    pub(super) fn one_up(&mut self) -> Result<Option<u32>, Unreadable> {
        match self.number()? {
            0 => Ok(None),
            more => Ok(Some(
                u32::try_from(more - 1).map_err(|_| Unreadable::Meaningless)?,
            )),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, Unreadable> {
        self.text_slice().map(str::to_owned)
    }

    pub(super) fn text_slice(&mut self) -> Result<&'a str, Unreadable> {
        let byte_len = self.number()?;
        self.utf8(byte_len)
    }

    pub(super) fn optional(&mut self) -> Result<Option<String>, Unreadable> {
        match self.number()? {
            0 => Ok(None),
            more => Ok(Some(self.utf8(more - 1)?.to_owned())),
        }
    }

    /// The bytes up to the payload's end: `byte_len` of them, or fewer when it was `cut`.
    pub(super) fn bytes(&mut self, byte_len: u64, cut: bool) -> Result<Bytes, Unreadable> {
        let bytes = self.payload.slice(self.at..);
        self.at = self.payload.len();
        match (bytes.len() as u64).cmp(&byte_len) {
            std::cmp::Ordering::Equal => Ok(bytes),
            std::cmp::Ordering::Less if cut => Ok(bytes),
            std::cmp::Ordering::Less => Err(Unreadable::Short),
            std::cmp::Ordering::Greater => Err(Unreadable::Meaningless),
        }
    }

    /// Where the next part begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn skip_text(&mut self) -> Result<(), Unreadable> {
        let byte_len = self.number()?;
        self.skip(byte_len)
    }

    pub(super) fn skip_optional(&mut self) -> Result<(), Unreadable> {
        match self.number()? {
            0 => Ok(()),
            more => self.skip(more - 1),
        }
    }

    fn skip(&mut self, byte_len: u64) -> Result<(), Unreadable> {
        let byte_len = usize::try_from(byte_len).map_err(|_| Unreadable::Short)?;
        self.slice(byte_len).map(|_| ())
    }

    fn utf8(&mut self, byte_len: u64) -> Result<&'a str, Unreadable> {
        let byte_len = usize::try_from(byte_len).map_err(|_| Unreadable::Short)?;
        std::str::from_utf8(self.slice(byte_len)?).map_err(|_| Unreadable::Meaningless)
    }

    fn slice(&mut self, byte_len: usize) -> Result<&'a [u8], Unreadable> {
        let end = self.at.checked_add(byte_len).ok_or(Unreadable::Short)?;
        let slice = self.payload.get(self.at..end).ok_or(Unreadable::Short)?;
        self.at = end;
        Ok(slice)
    }
}
