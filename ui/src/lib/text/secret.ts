/** Whether a name is one whose values are usually secrets. */
export function looksSecret(name: string): boolean {
  return /authorization|token|secret|passw(?:or)?d|passphrase|credential|cookie|(?:^|[_-])(?:key|pin|otp)(?:$|[_-])|api[_-]?key/i.test(
    name,
  );
}
