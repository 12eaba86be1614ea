/** Words that schemas bring along. */

/** Whether a title tells more than the name does: `Restaurant name` for `restaurant_name` does not. */
export function saysMore(title: string | undefined, name: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[\s_\-./]/g, '');
  return title !== undefined && letters(title) !== '' && letters(title) !== letters(name);
}
