/** The folders that are given to a server as its roots: `file:` URIs, which a person knows as paths. */

/** The URI of a line: an absolute path, or a `file:` URI as it is; undefined for anything else. */
export function folderUri(line: string): string | undefined {
  const text = line.trim();
  if (/^file:/i.test(text)) {
    // Kept as typed: a server may compare letters.
    return URL.canParse(text) && /^file:\/\/\S+$/i.test(text) ? text : undefined;
  }
  if (text.startsWith('/')) return `file://${encoded(text)}`;
  if (/^[A-Za-z]:[\\/]/.test(text)) return `file:///${text.slice(0, 2)}${encoded(slashed(text.slice(2)))}`;
  // \\machine\share
  const share = /^\\\\([\w.-]+)(\\.+)$/.exec(text);
  if (share?.[1] !== undefined && share[2] !== undefined)
    return `file://${share[1]}${encoded(slashed(share[2]))}`;
  return undefined;
}

/** The path of a URI where the two say exactly the same; else the URI. */
export function folderLine(uri: string): string {
  let path: string;
  try {
    path = decodeURIComponent(uri.replace(/^file:\/\//, ''));
  } catch {
    return uri;
  }
  const isDrive = /^\/[A-Za-z]:\//.test(path);
  const line = isDrive ? path.slice(1).replaceAll('/', '\\') : path;
  return !/[\n\r]/.test(line) && line === line.trim() && folderUri(line) === uri ? line : uri;
}

export function foldersOf(lines: string): string[] {
  return lines
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
