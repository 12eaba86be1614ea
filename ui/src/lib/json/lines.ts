import { tokens, type Token } from './tokens';

/** Tokens of a line of JSON that may begin within a string, because the line above was too long. */
export function lineTokens(line: string, isInString: boolean): Token[] {
  if (!isInString) return tokens(line);
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') {
      return [{ kind: 'string', text: line.slice(0, at + 1) }, ...tokens(line.slice(at + 1))];
    }
  }
  return line === '' ? [] : [{ kind: 'string', text: line }];
}
