/** What is said in passing, and may be taken back. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  /** Takes back what was done. It says itself when that fails. */
  readonly undo?: (() => void) | undefined;
  readonly tone: 'note' | 'error';
}

/** How long it is shown, when nobody holds it. */
export const SHOWN_MILLIS = 10_000;
const AT_ONCE = 4;

/** What is said in passing now: the newest last. */
export class Toasts {
  list: readonly Toast[] = $state.raw([]);
  /** Someone reads: nothing goes meanwhile. */
  held = $state(false);
  #next = 1;

  say(text: string, undo?: () => void, tone: Toast['tone'] = 'note'): void {
    this.list = [...this.list.slice(1 - AT_ONCE), { id: this.#next, text, undo, tone }];
    this.#next += 1;
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  undo(toast: Toast): void {
    this.dismiss(toast.id);
    toast.undo?.();
  }

  /** Takes back what was done last; false when there is nothing of it. */
  undoLast(): boolean {
    const last = this.list.findLast((toast) => toast.undo !== undefined);
    if (last === undefined) return false;
    this.undo(last);
    return true;
  }
}
