/** Between the texts of JSON Schema's formats and those of the native pickers of dates and times. */

export type PickerType = 'date' | 'datetime-local';

/** The native picker for a format, where there is one. */
export function pickerFor(format: string | undefined): PickerType | undefined {
  if (format === 'date') return 'date';
  return format === 'date-time' ? 'datetime-local' : undefined;
}

/** Whether this web view has such a picker. */
export function hasPicker(type: PickerType): boolean {
  const input = document.createElement('input');
  input.type = type;
  return input.type === type && 'showPicker' in input;
}

/** What the picker begins with; empty when the text is no such moment. */
export function toPicker(type: PickerType, text: string): string {
  if (type === 'date') return /^\d{4}-\d\d-\d\d$/.test(text) ? text : '';
  const moment = new Date(text);
  if (text.trim() === '' || Number.isNaN(moment.getTime())) return '';
  return localText(moment);
}

/** What a choice means as the format's text: a date as it is, a local time with its offset. */
export function fromPicker(type: PickerType, value: string): string {
  if (type === 'date' || value === '') return value;
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime())) return value;
  const offset = -moment.getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const minutes = Math.abs(offset);
  return `${localText(moment)}${sign}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

function localText(moment: Date): string {
  const date = `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${date}T${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
