/** What may be kept of an answer beyond the page: all but what looks like a secret. */

import { looksSecret } from '$lib/text/secret';
import { blank, newItem, newRow, rowField, type Answer } from './answer';
import type { Field } from './field';

/** Whether a field, or one inside it, asks for something that looks like a secret. */
export function asksForSecrets(field: Field): boolean {
  if (isSecret(field)) return true;
  const { control } = field;
  switch (control.kind) {
    case 'object':
      return [
        ...control.fields,
        ...(control.more?.patterns.map(({ value }) => value) ?? []),
        ...(control.more?.other === undefined ? [] : [control.more.other]),
      ].some(asksForSecrets);
    case 'list':
      return asksForSecrets(control.item);
    case 'tuple':
      return [...control.places, ...(control.rest === undefined ? [] : [control.rest])].some(asksForSecrets);
    case 'variants':
      return control.variants.some((variant) => asksForSecrets(variant.field));
    default:
      return false;
  }
}

function isSecret({ key, title, control }: Field): boolean {
  const hasFormat = control.kind === 'text' && control.format === 'password';
  return hasFormat || looksSecret(key) || looksSecret(title ?? '');
}

/** Whether a JSON text has a member whose name looks like a secret's. */
export function namesSecrets(json: string): boolean {
  return [...json.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].some(([, key]) => looksSecret(key ?? ''));
}

/** The answer without what looks like a secret; that is to be typed again. */
export function withoutSecrets(field: Field, answer: Answer): Answer {
  if (isSecret(field)) return blank(field);
  const { control } = field;
  switch (answer.kind) {
    case 'json':
      return asksForSecrets(field) || namesSecrets(answer.text) ? blank(field) : answer;
    case 'object': {
      const fields = control.kind === 'object' ? control.fields : [];
      return {
        ...answer,
        members: answer.members.map((member, at) => {
          const inner = fields[at];
          return inner === undefined ? member : withoutSecrets(inner, member);
        }),
        rows: answer.rows.flatMap((row) => {
          const value = control.kind === 'object' && control.more && rowField(control.more, row.name);
          if (!value || looksSecret(row.name)) return [];
          return [{ ...row, answer: withoutSecrets(value, row.answer) }];
        }),
        extras: answer.extras.filter(({ key, json }) => !looksSecret(key) && !namesSecrets(json)),
      };
    }
    case 'list': {
      if (control.kind !== 'list') return answer;
      const { item } = control;
      return {
        ...answer,
        items: answer.items.map((one) => ({ ...one, answer: withoutSecrets(item, one.answer) })),
      };
    }
    case 'tuple': {
      if (control.kind !== 'tuple') return answer;
      const { places, rest } = control;
      return {
        ...answer,
        places: answer.places.map((given, at) => {
          const place = places[at];
          return place === undefined ? given : withoutSecrets(place, given);
        }),
        items: answer.items.map((one) =>
          rest === undefined ? one : { ...one, answer: withoutSecrets(rest, one.answer) },
        ),
      };
    }
    case 'again':
      return control.kind === 'again' && answer.inner !== undefined
        ? { ...answer, inner: withoutSecrets(control.open(), answer.inner) }
        : answer;
    case 'variants': {
      const variants = control.kind === 'variants' ? control.variants : [];
      return {
        ...answer,
        inner: answer.inner.map((inner, at) => {
          const variant = variants[at];
          return variant === undefined ? inner : withoutSecrets(variant.field, inner);
        }),
      };
    }
    default:
      return answer;
  }
}

/** The same answer for a page that was loaded anew: its list items are numbered by this page. */
export function renumbered(field: Field, answer: Answer): Answer {
  const { control } = field;
  if (answer.kind === 'object' && control.kind === 'object') {
    const members = answer.members.map((member, at) => {
      const inner = control.fields[at];
      return inner === undefined ? member : renumbered(inner, member);
    });
    const { more } = control;
    const rows = answer.rows.map((row) => {
      const value = more && rowField(more, row.name);
      return newRow(row.name, value === undefined ? row.answer : renumbered(value, row.answer));
    });
    return { ...answer, members, rows };
  }
  if (answer.kind === 'tuple' && control.kind === 'tuple') {
    const { rest } = control;
    const places = answer.places.map((given, at) => {
      const place = control.places[at];
      return place === undefined ? given : renumbered(place, given);
    });
    const items = answer.items.map((one) =>
      rest === undefined ? one : { ...newItem(rest), answer: renumbered(rest, one.answer) },
    );
    return { ...answer, places, items };
  }
  if (answer.kind === 'again' && control.kind === 'again' && answer.inner !== undefined) {
    return { ...answer, inner: renumbered(control.open(), answer.inner) };
  }
  if (answer.kind === 'list' && control.kind === 'list') {
    const items = answer.items.map((one) => ({
      ...newItem(control.item),
      answer: renumbered(control.item, one.answer),
    }));
    return { ...answer, items };
  }
  if (answer.kind === 'variants' && control.kind === 'variants') {
    const inner = answer.inner.map((one, at) => {
      const variant = control.variants[at];
      return variant === undefined ? one : renumbered(variant.field, one);
    });
    return { ...answer, inner };
  }
  return answer;
}
