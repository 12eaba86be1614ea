import type { CallOutcome } from '$lib/bindings/CallOutcome';
import type { ContentView } from '$lib/bindings/ContentView';
import { laidOut } from '$lib/json/layout';

/** What a call ended with, as text: to be compared line by line, and to be saved. */
export function outcomeText({ result }: CallOutcome): string {
  switch (result.kind) {
    case 'tool': {
      const parts = result.content.map(blockText);
      if (result.structured !== null) parts.push(`structured content:\n${result.structured}`);
      if (result.is_error) parts.unshift('tool error');
      return parts.length === 0 ? 'empty result' : parts.join('\n\n');
    }
    case 'resource':
      return result.contents.map(({ uri, content }) => `${uri}\n${blockText(content)}`).join('\n\n');
    case 'prompt':
      return result.messages.map(({ role, content }) => `${role}:\n${blockText(content)}`).join('\n\n');
    case 'failed': {
      const code = result.code === null ? '' : `error ${result.code}: `;
      return `${code}${result.error.message}${result.data === null ? '' : `\n${result.data}`}`;
    }
    case 'cancelled':
      return 'cancelled';
  }
}

function blockText(block: ContentView): string {
  switch (block.kind) {
    case 'text':
      return lineByLine(block.text);
    case 'image':
    case 'audio':
      return `${block.kind} ${block.mime_type}, ${block.base64?.length ?? 0} characters of Base64 ${fingerprint(block.base64 ?? '')}`;
    case 'resource_link':
      return `resource link ${block.uri} ${block.name}`;
    case 'resource':
      return `resource ${block.uri}\n${block.text ?? `${block.byte_len ?? 0} bytes`}`;
    case 'other':
      return block.json;
  }
}

/** JSON in one line is compared member by member. */
function lineByLine(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.includes('\n')) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return laidOut(text);
}

/** Tells two data apart. */
function fingerprint(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0).toString(16);
}
