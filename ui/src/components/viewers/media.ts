/** What a server sends as images and sounds: hostile until shown to be one of a few kinds. */

/** Kinds that an `img` element draws without running anything: in an `img`, SVG has no scripts and loads nothing. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']);

const SOUNDS = new Set([
  'audio/mpeg',
  'audio/mp3',
  'audio/mp4',
  'audio/aac',
  'audio/ogg',
  'audio/opus',
  'audio/wav',
  'audio/x-wav',
  'audio/wave',
  'audio/webm',
  'audio/flac',
]);

/** The type without parameters, in lower case. */
function kindOf(mimeType: string): string {
  return (mimeType.split(';')[0] ?? '').trim().toLowerCase();
}

/** `image/jpg` is no registered type, but many servers send it. */
function known(mimeType: string): string {
  const kind = kindOf(mimeType);
  return kind === 'image/jpg' ? 'image/jpeg' : kind;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A `data:` URL for an `img`; undefined when this is no image that may be drawn. */
export function imageUrl(mimeType: string, base64: string): string | undefined {
  const kind = known(mimeType);
  return IMAGES.has(kind) && BASE64.test(base64) ? `data:${kind};base64,${base64}` : undefined;
}

/** A `data:` URL for an `audio`; undefined when this is no sound that may be played. */
export function soundUrl(mimeType: string, base64: string): string | undefined {
  const kind = known(mimeType);
  return SOUNDS.has(kind) && BASE64.test(base64) ? `data:${kind};base64,${base64}` : undefined;
}

/** How many bytes a Base64 text stands for. */
export function byteLenOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
