// The rows of the timeline that are drawn, in their order, as they are read out. With a row's key, its element or the
// mark that unfolds it.
const [wanted, place] = arguments;
const grid = document.querySelector('[role=treegrid][aria-label="Timeline rows"]');
if (grid === null) return wanted === 'rows' ? { total: 0, rows: [] } : null;
const drawn = [...grid.querySelectorAll('[role=row][aria-level]')];
const placeOf = (row) => Number(row.getAttribute('aria-rowindex')) - 2;
const rowAt = () => drawn.find((row) => placeOf(row) === place) ?? null;

switch (wanted) {
  case 'rows': {
    const { top, bottom } = grid.getBoundingClientRect();
    const header = grid.querySelector('[role=columnheader]')?.getBoundingClientRect().bottom ?? top;
    return {
      total: Number(grid.getAttribute('aria-rowcount')) - 1,
      rows: drawn
        .map((row) => {
          const box = row.getBoundingClientRect();
          return {
            place: placeOf(row),
            level: Number(row.getAttribute('aria-level')),
            name: row.getAttribute('aria-label') ?? '',
            arrived: row.getAttribute('aria-busy') !== 'true',
            selected: row.getAttribute('aria-selected') === 'true',
            expanded: row.getAttribute('aria-expanded') === 'true',
            unfolds: row.hasAttribute('aria-expanded'),
            seen: box.top >= header - 1 && box.bottom <= bottom + 1,
          };
        })
        .sort((one, other) => one.place - other.place),
    };
  }
  case 'row':
    return rowAt();
  case 'mark':
    return rowAt()?.querySelector('button') ?? null;
  case 'scroll':
    // As the scroll bar's thumb is dragged: a part of the whole way, in thousandths.
    grid.scrollTop = ((grid.scrollHeight - grid.clientHeight) * place) / 1000;
    return null;
  default:
    throw new Error(`${wanted} is not something to want`);
}
