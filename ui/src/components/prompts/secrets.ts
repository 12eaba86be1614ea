/** Whether a form seems to ask for what a server must not ask for by a form (client/elicitation: passwords, keys, tokens, cards). */

const WORDS =
  /\b(?:pass ?(?:word|phrase|code|wd)s?|pwd|(?:api|access|private|secret|ssh|signing|encryption) ?keys?|tokens?|secrets?|credentials?|(?:credit|debit|payment|bank) ?cards?|card ?(?:numbers?|no|security code)|cvv|cvc|pins?|pin ?codes?|otp|one ?time ?codes?|2fa|mfa|iban|ssn)\b/i;

/** `apiKey`, `api_key` and `api-key` are the same words. */
function words(text: string): string {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./]+/g, ' ')
    .replace(/\s+/g, ' ');
}

/** The words that look so, as the server wrote them; undefined when there are none. */
export function secretAskedFor(schema: string, message: string): string | undefined {
  const texts = [message];
  try {
    collect(JSON.parse(schema), texts, 0);
  } catch {
    // A schema that is no JSON has no fields.
  }
  for (const text of texts) {
    const found = WORDS.exec(words(text));
    if (found !== null) return found[0];
  }
  return undefined;
}

function collect(schema: unknown, texts: string[], depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth > 6) return;
  const { properties, title, description, format } = schema as Record<string, unknown>;
  for (const text of [title, description]) if (typeof text === 'string') texts.push(text);
  if (format === 'password') texts.push('password');
  if (typeof properties !== 'object' || properties === null) return;
  for (const [name, inner] of Object.entries(properties)) {
    texts.push(name);
    collect(inner, texts, depth + 1);
  }
}
