// Argument: the accessible name of the tool's region. Calls it and gives the milliseconds between frames until its result
// is painted, and of all of it.
const [tool, done] = arguments;
const region = document.querySelector(`section[aria-label="${tool}"]`);
const call = [...region.querySelectorAll('button')].find((button) => button.textContent.trim().startsWith('Call'));
const result = () => region.querySelector('section[aria-label="Result of the call"]');

const frames = [];
const before = result();
let last;
const begun = performance.now();
const frame = () => {
  const now = performance.now();
  if (last !== undefined) frames.push(now - last);
  last = now;
  const came = result();
  if (came !== null && came !== before) done({ frames, took: now - begun });
  else requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
call.click();
