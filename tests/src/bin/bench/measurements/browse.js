// Arguments: a page of the workbench, the accessible name of its list, how many entries it has, how often it is opened.
// Gives the milliseconds from each click on the page's tab to the painted list, and those between frames while it scrolls.
const [page, list, total, times, done] = arguments;
const tab = (name) =>
  [...document.querySelectorAll('[role="tab"]')].find((one) => one.textContent.trim().startsWith(name));
const rows = () => [...document.querySelectorAll(`[role="listbox"][aria-label="${list}"] [role="option"]`)];
const isThere = () => rows()[0]?.getAttribute('aria-setsize') === String(total);
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const until = async (holds) => {
  while (!holds()) await nextFrame();
};

(async () => {
  const opened = [];
  for (let time = 0; time < times; time += 1) {
    tab('Overview').click();
    await until(() => rows().length === 0);
    await painted();
    const begun = performance.now();
    tab(page).click();
    await until(isThere);
    await painted();
    opened.push(performance.now() - begun);
  }
  let scroller = rows()[0];
  while (scroller !== null && scroller.scrollHeight <= scroller.clientHeight + 100) scroller = scroller.parentElement;
  const frames = [];
  let last = await nextFrame().then(() => performance.now());
  const step = (scroller.scrollHeight - scroller.clientHeight) / 120;
  for (let frame = 0; frame < 120; frame += 1) {
    scroller.scrollTop += step;
    await nextFrame();
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  await until(() => rows().length > 0);
  done({ opened, frames });
})();
