// Finds what a person finds who sees the page or hears it read: by role and accessible name, from the page inwards.
// Arguments: the path, a list of [role, name]; and what is wanted of what the path leads to. A name that ends with …
// is a name's beginning, one that starts with … stands anywhere in it, and an empty one is any.
const [path, wanted] = arguments;

const NATIVE = {
  article: 'article',
  button: 'button, summary',
  checkbox: 'input[type=checkbox]',
  combobox: 'select',
  complementary: 'aside',
  contentinfo: 'footer',
  definition: 'dd',
  group: 'fieldset, details',
  heading: 'h1, h2, h3, h4, h5, h6',
  img: 'img',
  list: 'ul, ol',
  listitem: 'li',
  main: 'main',
  navigation: 'nav',
  radio: 'input[type=radio]',
  region: 'section[aria-label], section[aria-labelledby]',
  searchbox: 'input[type=search]',
  term: 'dt',
  textbox: 'textarea, input[type=text], input[type=email], input[type=url], input[type=password]',
};

const squeezed = (text) => text.replace(/\s+/g, ' ').replace(/ ([,.;])/g, '$1').trim();

/** The text that is read out: without what is hidden from readers. */
function textOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE || node.getAttribute('aria-hidden') === 'true') return '';
  const { display } = getComputedStyle(node);
  if (display === 'none') return '';
  const inside = [...node.childNodes].map(textOf).join('');
  return display === 'inline' || display === 'contents' ? inside : ` ${inside} `;
}

function nameOf(element) {
  const namers = (element.getAttribute('aria-labelledby') ?? '')
    .split(/\s+/)
    .map((id) => document.getElementById(id))
    .filter((namer) => namer !== null);
  if (namers.length > 0) return squeezed(namers.map(textOf).join(' '));
  const label = element.getAttribute('aria-label');
  if (label !== null && label !== '') return squeezed(label);
  if (element.labels?.length > 0) return squeezed([...element.labels].map(textOf).join(' '));
  if (element.matches('input, textarea, select')) return element.placeholder ?? element.title;
  if (element.matches('img')) return element.alt;
  return squeezed(textOf(element.querySelector(':scope > legend') ?? element)) || element.title;
}

function isSeen(element) {
  return (
    element.getClientRects().length > 0 &&
    getComputedStyle(element).visibility === 'visible' &&
    element.closest('[aria-hidden="true"], [inert]') === null
  );
}

function fits(name, asked) {
  if (asked === '') return true;
  if (asked.startsWith('…')) return name.includes(asked.slice(1));
  if (asked.endsWith('…')) return name.startsWith(asked.slice(0, -1));
  return name === asked;
}

let found = [document.body];
for (const [role, name] of path) {
  const next = new Set();
  const native = NATIVE[role] === undefined ? '' : `, :is(${NATIVE[role]}):not([role])`;
  for (const place of found) {
    for (const element of place.querySelectorAll(`[role="${role}"]${native}`)) {
      if (isSeen(element) && fits(nameOf(element), name)) next.add(element);
    }
  }
  found = [...next];
}

switch (wanted) {
  case 'targets':
    // What is pressed: of a box or a choice, its words do as well and are always seen. It is scrolled to first.
    return found
      .filter((element) => !element.disabled && element.getAttribute('aria-disabled') !== 'true')
      .map((element) => (element.matches('input[type=radio], input[type=checkbox]') && element.labels[0]) || element)
      .map((element) => (element.scrollIntoView({ block: 'nearest', inline: 'nearest' }), element));
  case 'facts':
    return found.map((element) => ({
      name: nameOf(element),
      text: element.innerText ?? '',
      value: element.value ?? '',
      chosen: element.checked ?? ['aria-checked', 'aria-selected', 'aria-pressed'].some((mark) => element.getAttribute(mark) === 'true'),
      enabled: !element.disabled,
      focused: element.contains(document.activeElement),
    }));
  default:
    throw new Error(`${wanted} is not something to want`);
}
