// A person in a real browser, headless: opens a page, presses one of its buttons, and says what the page shows then.
// Arguments: the page's address and the button's name. The browser is Chromium, named by CHROMIUM or found in its usual
// place; it is driven by the Playwright of the interface's tests.
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../ui/package.json', import.meta.url));
const { chromium } = require('playwright');
const [url, button] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: button }).click();
  console.log(await page.getByRole('heading').first().innerText());
} finally {
  await browser.close();
}
