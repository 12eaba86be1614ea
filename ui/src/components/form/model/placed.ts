/** A schema of a server as part of a larger one. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Reads a schema that comes to stand at `place`, a JSON pointer without the `#`: references that begin at its root lead
 * there. `undefined` where the text is no schema with members.
 */
export function placed(text: string, place: string): Schema | undefined {
  try {
    const moved = text.replace(/("\$ref"\s*:\s*"#)(?=["/])/g, `$1${place}`);
    const schema: unknown = JSON.parse(moved);
    const hasMembers = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
    return hasMembers ? (schema as Schema) : undefined;
  } catch {
    return undefined;
  }
}
