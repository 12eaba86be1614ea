import type { SecretView } from '$lib/bindings/SecretView';

/** Whether a secret has all these words in its name or its uses. */
export function fits(secret: SecretView, wanted: string): boolean {
  const text = [secret.name, ...secret.uses.flatMap((use) => [use.server_name, use.used_as])]
    .join(' ')
    .toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The names that stand for values in a text, each once. */
export function namesIn(text: string): string[] {
  const names = [...text.matchAll(/\$\{secret:([^{}"\\]+)\}/g)].map(([, name]) => name ?? '');
  return [...new Set(names)];
}
