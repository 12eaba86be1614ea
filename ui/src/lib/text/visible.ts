// C0 (but tab and newline), DEL, C1, soft hyphen, zero-width and bidirectional controls, line and paragraph
// separators, the BOM, interlinear marks, variation selectors used to hide text, tags, and lone surrogates.
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // The control pictures are one column wide and known to everybody who has read a hex dump.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

/**
 * A server's text, safe to draw as text: control, zero-width and bidirectional characters become visible marks,
 * so that nothing on the screen reads differently from what was sent. Newlines and tabs stay; `\r\n` becomes `\n`.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, mark);
}

/** The same on one line: newlines and tabs become marks too. For rows, names and labels. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '\u2424').replaceAll('\t', '\u2409');
}

/** At most `limit` characters, with an ellipsis, never cutting a surrogate pair in two. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = limit - 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${text.slice(0, end)}\u2026`;
}
