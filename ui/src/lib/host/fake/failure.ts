import type { ErrorView } from '$lib/bindings/ErrorView';
import { HostError } from '../host';

/** An error as the core gives it. */
export const failure = (code: ErrorView['code'], message: string, hint: string | null = null): HostError =>
  new HostError({ code, message, hint });
