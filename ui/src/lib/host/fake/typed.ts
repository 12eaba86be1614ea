/** What the fake makes of texts that a person types or pastes. */

import type { PasteReading } from '$lib/bindings/PasteReading';
import type { Validation } from '$lib/bindings/Validation';

/** Reads a URL or a plain command. */
export function readPaste(text: string): PasteReading {
  const trimmed = text.trim();
  if (/^https?:\/\//.test(trimmed)) {
    return {
      drafts: [
        {
          name: new URL(trimmed).host,
          endpoint: { transport: 'http', url: trimmed, headers: [] },
          era: 'auto',
        },
      ],
      taken_for: 'URL',
      notes: [],
    };
  }
  const [command, ...rest] = trimmed.split(/\s+/);
  return {
    drafts: [
      {
        name: command ?? '',
        endpoint: { transport: 'stdio', command: command ?? '', args: rest, env: [], folder: null },
        era: 'auto',
      },
    ],
    taken_for: 'shell command',
    notes: [],
  };
}

/** Knows `required` and the format of an email address. */
export function validate(schema: string, value: string): Validation {
  const wanted = JSON.parse(schema) as {
    required?: string[];
    properties?: Record<string, { format?: string }>;
  };
  const got = JSON.parse(value) as Record<string, unknown>;
  const missing = (wanted.required ?? []).filter((key) => !(key in got));
  const wrong = Object.keys(got).filter(
    (key) => wanted.properties?.[key]?.format === 'email' && !/.@./.test(String(got[key])),
  );
  return {
    errors: [
      ...missing.map((key) => ({
        pointer: `/${key}`,
        keyword: 'required',
        message: `${key} is required`,
      })),
      ...wrong.map((key) => ({
        pointer: `/${key}`,
        keyword: 'format',
        message: 'is not an email address',
      })),
    ],
    schema_problem: null,
  };
}
