/** JSON text over lines with each token as it is; text that is no JSON comes back changed in its white space at most. */
export function laidOut(json: string): string {
  let out = '';
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(depth, 64))}`;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') {
      let end = at + 1;
      while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
      out += json.slice(at, end + 1);
      at = end;
    } else if (character === '{' || character === '[') {
      const next = /\S/.exec(json.slice(at + 1, at + 200))?.[0];
      depth += 1;
      out += next === '}' || next === ']' ? character : character + line();
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      const isEmpty = /[{[]$/.test(out);
      out += isEmpty ? character : line() + character;
    } else if (character === ',') out += character + line();
    else if (character === ':') out += ': ';
    else if (!' \t\n\r'.includes(character)) out += character;
  }
  return out;
}
