/** The bytes of a Base64 text; `undefined` when it is none. White space and missing padding are borne. */
export function bytesOf(base64: string): Uint8Array | undefined {
  try {
    const text = atob(base64.replace(/\s+/g, ''));
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}

/** The Base64 text of bytes. */
export function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}

/** How many lines a dump of so many bytes has. */
export function hexLineCount(byteLength: number): number {
  return Math.ceil(byteLength / 16);
}

/** A line of a dump in the columns of `hexdump -C`: offset, sixteen bytes, and their ASCII characters. */
export function hexLine(bytes: Uint8Array, line: number): string {
  const part = bytes.subarray(line * 16, line * 16 + 16);
  let digits = '';
  let text = '';
  for (let column = 0; column < 16; column += 1) {
    const byte = part[column];
    digits += column % 8 === 0 ? '  ' : ' ';
    digits += byte === undefined ? '  ' : byte.toString(16).padStart(2, '0');
    if (byte !== undefined) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  }
  return `${(line * 16).toString(16).padStart(8, '0')}${digits}  |${text}|`;
}
