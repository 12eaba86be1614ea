/** How something that a server sent is shown. Everything else is text, or bytes. */
export type ContentKind =
  'markdown' | 'table' | 'html' | 'json' | 'pdf' | 'image' | 'audio' | 'text' | 'bytes';

/** A MIME type without its parameters, in lower case. */
export function plainType(mimeType: string | null | undefined): string {
  return (mimeType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** What a MIME type is shown as, for a text or for bytes. The type is the server's word: what does not fit it is text or bytes. */
export function kindOf(mimeType: string | null | undefined, isText: boolean): ContentKind {
  const type = plainType(mimeType);
  if (type.startsWith('image/') && (!isText || type === 'image/svg+xml')) return 'image';
  if (type.startsWith('audio/') && !isText) return 'audio';
  if (type === 'application/pdf' && !isText) return 'pdf';
  if (!isText) return 'bytes';
  if (type === 'text/markdown' || type === 'text/x-markdown') return 'markdown';
  if (type === 'text/csv' || type === 'text/tab-separated-values') return 'table';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return 'text';
}

/** What a kind is called where it can be chosen. */
export const KIND_LABEL: Record<ContentKind, string> = {
  markdown: 'Markdown',
  table: 'Table',
  html: 'Page',
  json: 'JSON',
  pdf: 'Pages',
  image: 'Image',
  audio: 'Sound',
  text: 'Text',
  bytes: 'Hex',
};

const EXTENSIONS: Record<string, string> = {
  'text/markdown': 'md',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/html': 'html',
  'text/plain': 'txt',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
};

/** A file's name for something that is saved: of the URI's last part where it has one, else of the type. */
export function fileName(
  uri: string | null | undefined,
  mimeType: string | null | undefined,
  isText: boolean,
): string {
  const last = (uri ?? '').split(/[?#]/)[0]?.split(/[/\\]/).pop() ?? '';
  const safe = last
    .replace(/[^\p{L}\p{N}._-]/gu, '_')
    .replace(/^\.+/, '')
    .slice(0, 100);
  const extension = EXTENSIONS[plainType(mimeType)] ?? (isText ? 'txt' : 'bin');
  if (safe === '') return `content.${extension}`;
  return /\.[\p{L}\p{N}]{1,8}$/u.test(safe) ? safe : `${safe}.${extension}`;
}
