// Allows what a consent page asks for, in a headless browser of its own: consent.mjs BROWSER PLAYWRIGHT URL
import { createRequire } from 'node:module';

const [browser, playwright, url] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const running = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--no-proxy-server'] });
try {
  // Without scripts, as the page has to work.
  const context = await running.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
} finally {
  await running.close();
}
