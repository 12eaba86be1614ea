import { getContext, setContext } from 'svelte';
import type { Answer } from './model/answer';
import { settle } from './model/carry';
import { placeComplaints, type Complaint } from './model/complaints';
import type { Field } from './model/field';
import { asksForSecrets, namesSecrets, renumbered, withoutSecrets } from './model/kept';
import { fieldsFrom, lineOf, open, readWhole, textFrom, wholeToSend, type Opening } from './model/whole';
import { write, type FieldProblem } from './model/write';

export type Value = { ok: true; json: string } | { ok: false; message: string };

/** What a form remembers of itself, to open it again just as it was left. Plain data. */
export interface KeptForm {
  readonly schema: string;
  readonly view: 'fields' | 'json';
  readonly text: string;
  readonly answer: Answer | undefined;
  /** It was kept by another page. */
  readonly isFromBefore?: boolean;
}

/** What {@link FormState.keep} gave, read back from where it was kept; undefined when it is something else. */
export function keptForm(read: unknown): KeptForm | undefined {
  const kept = read as Partial<KeptForm> | null | undefined;
  const isKept =
    typeof kept?.schema === 'string' &&
    typeof kept.text === 'string' &&
    (kept.view === 'fields' || kept.view === 'json');
  return isKept ? (kept as KeptForm) : undefined;
}

/** One open form: what the person has given so far, which view is shown, and what is wrong where. */
export class FormState {
  readonly shape: Opening['shape'];
  readonly #schema: string;
  /** How the form began, to know whether anything was changed. */
  readonly #beginning: string;

  view: 'fields' | 'json' = $state('fields');
  /** The JSON view's text, as typed. */
  text = $state('');
  answer: Answer | undefined = $state();
  /** At the fields; the pointer is a JSON pointer to the field. */
  problems: readonly FieldProblem[] = $state.raw([]);
  /** In the JSON view: what is wrong with the text, and where, in UTF-16 units. */
  textProblem: { message: string; offset: number } | undefined = $state.raw();

  /** The text that stood for `#keptJson` when the person left the JSON view: shown again while that holds. */
  #keptText: string | undefined;
  #keptJson: string | undefined;
  /** The text that the JSON view began with: going back without a change brings the same answers back. */
  #firstText: string | undefined;

  constructor(schema: string, initial: string | undefined, kept: KeptForm | undefined) {
    const opening = open(schema, initial);
    this.#schema = schema;
    this.shape = opening.shape;
    this.view = opening.view;
    this.text = opening.text;
    this.answer = opening.answer;
    this.#beginning = this.#summary();
    if (kept?.schema === schema) {
      this.view = kept.view;
      this.text = kept.text;
      const answer = kept.answer === undefined ? undefined : structuredClone(kept.answer);
      const isOlder = kept.isFromBefore === true && answer !== undefined && this.root !== undefined;
      this.answer = isOlder ? renumbered(this.root, answer) : answer;
    }
  }

  /** The schema's text. */
  get schema(): string {
    return this.#schema;
  }

  get root(): Field | undefined {
    return this.shape.kind === 'form' ? this.shape.root : undefined;
  }

  /** Whether anything differs from how the form began. */
  get dirty(): boolean {
    return this.#summary() !== this.#beginning;
  }

  keep(): KeptForm {
    return { schema: this.#schema, view: this.view, text: this.text, answer: $state.snapshot(this.answer) };
  }

  /** What may be kept beyond this page: nothing in it looks like a secret. Undefined when that leaves nothing. */
  keepSafely(): KeptForm | undefined {
    const kept = { ...this.keep(), isFromBefore: true };
    const { root, answer } = { root: this.root, answer: kept.answer };
    if (root === undefined || answer === undefined) return namesSecrets(kept.text) ? undefined : kept;
    const safe = withoutSecrets(root, answer);
    const isTextUnsafe = kept.view === 'json' && (asksForSecrets(root) || namesSecrets(kept.text));
    return isTextUnsafe ? undefined : { ...kept, answer: safe, text: kept.view === 'json' ? kept.text : '' };
  }

  /** What would be sent as it stands, without marking anything; undefined when something is in the way. */
  get json(): string | undefined {
    if (this.view === 'json' || this.root === undefined || this.answer === undefined) {
      const whole = readWhole(this.text);
      return whole.ok ? wholeToSend(whole.node) : undefined;
    }
    const { json, problems } = write(this.root, this.answer);
    return problems.length === 0 ? json : undefined;
  }

  /** The JSON text to send; or the first reason why there is none, with every problem marked. */
  value(): Value {
    if (this.view === 'json' || this.root === undefined || this.answer === undefined)
      return this.#valueOfText();
    const { json, problems } = write(this.root, this.answer);
    this.problems = problems;
    const [first] = problems;
    if (first !== undefined) return { ok: false, message: this.#named(first) };
    return json === undefined ? { ok: false, message: 'There is nothing to send.' } : { ok: true, json };
  }

  #valueOfText(): Value {
    this.problems = [];
    const whole = readWhole(this.text);
    this.textProblem = whole.ok ? undefined : whole;
    return whole.ok ? { ok: true, json: wholeToSend(whole.node) } : { ok: false, message: whole.message };
  }

  /** `size: Enter a whole number.` */
  #named(problem: FieldProblem): string {
    const name = problem.pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
    return name === '' ? problem.message : `${name}: ${problem.message}`;
  }

  showComplaints(complaints: readonly Complaint[]): void {
    if (this.view === 'fields' && this.root !== undefined && this.answer !== undefined) {
      this.problems = placeComplaints(this.root, this.answer, complaints);
      return;
    }
    this.problems = complaints.map(({ pointer, message }) => {
      const line = lineOf(this.text, pointer);
      const where = pointer === '' ? '' : `${pointer}${line === undefined ? '' : ` (line ${line})`}: `;
      return { pointer: '', message: `${where}${message}` };
    });
  }

  /** What is wrong at this very field. */
  problemAt(pointer: string): string | undefined {
    const here = this.problems.filter((problem) => problem.pointer === pointer);
    return here.length === 0 ? undefined : here.map((problem) => problem.message).join(' ');
  }

  /** The person changed a field: what was said about it, and about all inside it, no longer holds. */
  edited(pointer: string): void {
    if (this.root !== undefined && this.answer !== undefined) settle(this.root, this.answer);
    if (this.problems.length === 0) return;
    this.problems = this.problems.filter(
      (problem) => problem.pointer !== pointer && !problem.pointer.startsWith(`${pointer}/`),
    );
  }

  /** The person left a field: what cannot be sent at all is said at once; an empty field may still be filled in. */
  left(field: Field, answer: Answer, pointer: string): void {
    const typed = answer.kind === 'text' || answer.kind === 'json' ? answer.text : '';
    if (typed.trim() === '') return;
    const here = write(field, answer).problems.map((problem) => ({ ...problem, pointer }));
    if (here.length > 0)
      this.problems = [...this.problems.filter((other) => other.pointer !== pointer), ...here];
  }

  /** The JSON view's text was edited. */
  typed(text: string): void {
    this.text = text;
    this.problems = [];
    if (this.textProblem !== undefined) this.checkText();
  }

  checkText(): void {
    const whole = readWhole(this.text);
    this.textProblem = whole.ok ? undefined : whole;
  }

  showJson(): void {
    if (this.view === 'json' || this.root === undefined || this.answer === undefined) return;
    const { json, problems } = write(this.root, this.answer);
    const unchanged = problems.length === 0 && json !== undefined && json === this.#keptJson;
    this.text = unchanged && this.#keptText !== undefined ? this.#keptText : textFrom(this.root, this.answer);
    this.#firstText = this.text;
    this.problems = [];
    this.view = 'json';
    this.checkText();
  }

  /** Back to the fields; stays, with the reason shown, when they cannot show the text without losing something. */
  showFields(): boolean {
    if (this.view === 'fields' || this.root === undefined) return true;
    if (this.text !== this.#firstText || this.answer === undefined) {
      const reading = fieldsFrom(this.root, this.text);
      if (!reading.ok) {
        this.textProblem = reading;
        return false;
      }
      this.answer = reading.answer;
    }
    this.#keptText = this.text;
    this.#keptJson = write(this.root, this.answer).json;
    this.problems = [];
    this.textProblem = undefined;
    this.view = 'fields';
    return true;
  }

  /** What would be sent, or what stands in its way: the same in both views. */
  #summary(): string {
    if (this.view === 'json' && this.text !== this.#firstText) {
      const whole = readWhole(this.text);
      return whole.ok ? `json ${wholeToSend(whole.node)}` : `text ${this.text}`;
    }
    if (this.root === undefined || this.answer === undefined) return `text ${this.text}`;
    const { json, problems } = write(this.root, this.answer);
    return problems.length === 0 && json !== undefined ? `json ${json}` : JSON.stringify(this.answer);
  }
}

/** What every field of a form shares. */
export interface FormContext {
  readonly form: FormState;
  readonly layout: 'columns' | 'stacked';
  readonly notes: Readonly<Record<string, string>>;
  readonly isDisabled: boolean;
  /**
   * Runs it at once, or after the present press of the pointer: a message that appears between press and release
   * would move the button away from under the pointer.
   */
  settled(act: () => void): void;
  /** Says something to a screen reader. */
  announce(text: string): void;
}

const KEY = Symbol('form');

export function provideForm(context: FormContext): void {
  setContext(KEY, context);
}

export function useForm(): FormContext {
  return getContext<FormContext>(KEY);
}
