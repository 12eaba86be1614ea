import type { Link } from '$lib/bindings/Link';

/** What the clipboard gets: what would be opened; of a link that is not opened, what the server wrote. */
export function linkToCopy(link: Link): string {
  if (link.refusal !== null) return link.url;
  return `${link.scheme}${link.user_info}${link.subdomain}${link.site}${link.port}${link.rest}`;
}
