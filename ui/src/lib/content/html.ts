/** The policy of a shown page: it may style itself and draw what it carries in itself, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:; form-action 'none'; base-uri 'none'";

/**
 * A page for the `srcdoc` of a frame with an empty `sandbox`: no scripts, no forms, no way out. The policy comes before
 * everything that the page says, so what it names elsewhere is never fetched. Links go to a new window, which the
 * sandbox does not open.
 */
export function frameDocument(html: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="referrer" content="no-referrer"><base target="_blank"><style>:root{color-scheme:light;background:#fff;color:#111;font:14px sans-serif}</style>${html}`;
}
