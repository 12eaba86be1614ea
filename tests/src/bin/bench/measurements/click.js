// Arguments: the accessible name of the tool's region, and how many calls to make. Gives the milliseconds of each until
// its result is in the page, and until it is painted.
const [tool, calls, done] = arguments;
const region = document.querySelector(`section[aria-label="${tool}"]`);
const call = [...region.querySelectorAll('button')].find((button) => button.textContent.trim().startsWith('Call'));
const result = () => region.querySelector('section[aria-label="Result of the call"]');

const appeared = (before) =>
  new Promise((resolve) => {
    const look = () => {
      const now = result();
      if (now === null || now === before) return;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(region, { childList: true, subtree: true });
    look();
  });

// The first task after the next frame: its picture has been made by then.
const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  });

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

(async () => {
  const [appearing, painting] = [[], []];
  // The first few warm up.
  for (let at = -5; at < calls; at += 1) {
    const before = result();
    const begun = performance.now();
    call.click();
    await appeared(before);
    const inPage = performance.now() - begun;
    await painted();
    if (at >= 0) {
      appearing.push(inPage);
      painting.push(performance.now() - begun);
    }
    // Not in step with the frames.
    await pause(150 + ((at * 7) % 17));
  }
  done({ appeared: appearing, painted: painting });
})();
