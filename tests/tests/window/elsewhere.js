// Tries every way in which a page can load something, and gives what came of each.
const [elsewhere, done] = arguments;
const element = (name, change) => new Promise((resolve) => {
  const one = document.createElement(name);
  one.onload = () => resolve(`${name} loaded`);
  one.onerror = () => resolve('refused');
  change(one);
  document.body.append(one);
  setTimeout(() => resolve('refused'), 3000);
});
const attempt = (act) => Promise.resolve().then(act).then(() => 'done', () => 'refused');
const evaluated = () => { try { return new Function('return 1')() === 1 ? 'eval' : 'refused'; } catch { return 'refused'; } };
const inline = () => {
  window.ranInline = false;
  const script = document.createElement('script');
  script.textContent = 'window.ranInline = true';
  document.body.append(script);
  return window.ranInline ? 'inline script' : 'refused';
};
const socket = () => new Promise((resolve) => {
  try {
    const one = new WebSocket(elsewhere.replace('http', 'ws'));
    one.onopen = () => resolve('socket');
    one.onerror = () => resolve('refused');
  } catch { resolve('refused'); }
});
const core = (command) => attempt(() => window.__TAURI_INTERNALS__.invoke(command, {}));
Promise.all([
  attempt(() => fetch(elsewhere)),
  element('img', (one) => { one.src = `${elsewhere}/picture.png`; }),
  element('script', (one) => { one.src = `${elsewhere}/script.js`; }),
  element('link', (one) => { one.rel = 'stylesheet'; one.href = `${elsewhere}/style.css`; }),
  element('audio', (one) => { one.src = `${elsewhere}/sound.mp3`; }),
  socket(),
  evaluated(),
  inline(),
  window.open(elsewhere) === null ? 'refused' : 'a window',
  core('plugin:opener|open_url'),
  core('plugin:shell|execute'),
  core('plugin:fs|read_text_file'),
  core('plugin:window|create'),
  core('plugin:event|listen'),
]).then(done);
