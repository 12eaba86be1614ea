// Argument: the accessible name of the tool's region. Calls it, and until its result is painted presses a key in the timeline
// every 150 ms. Gives the milliseconds between frames, from when each key was due to its painted answer, and of all of it.
const [tool, done] = arguments;
const region = document.querySelector(`section[aria-label="${tool}"]`);
const call = [...region.querySelectorAll('button')].find((button) => button.textContent.trim().startsWith('Call'));
const result = () => region.querySelector('section[aria-label="Result of the call"]');
const grid = document.querySelector('[role=treegrid]');

const EVERY = 150;
const frames = [];
const keys = [];
const before = result();
const isOver = () => result() !== null && result() !== before;
const selected = () => grid.getAttribute('aria-activedescendant');
const begun = performance.now();

let last;
const frame = () => {
  const now = performance.now();
  if (last !== undefined) frames.push(now - last);
  last = now;
  if (isOver()) done({ frames, keys, took: now - begun });
  else requestAnimationFrame(frame);
};

/** The first task after the frame in which it holds. */
const painted = (holds) =>
  new Promise((resolve) => {
    const look = () => {
      if (holds() || isOver()) {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.now());
        channel.port2.postMessage(null);
      } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });

let due = begun + EVERY;
let isUp = true;
const press = async () => {
  const was = selected();
  const key = isUp ? 'ArrowUp' : 'ArrowDown';
  isUp = !isUp;
  grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const at = await painted(() => selected() !== was);
  if (isOver()) return;
  keys.push(at - due);
  due = Math.max(due + EVERY, performance.now());
  setTimeout(press, Math.max(0, due - performance.now()));
};

requestAnimationFrame(frame);
setTimeout(press, EVERY);
call.click();
