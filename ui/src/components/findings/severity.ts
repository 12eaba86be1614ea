import type { Severity } from '$lib/bindings/Severity';
import type { Tone } from '../primitives/tone';

/** How severe a finding is, in colour and in words. */
export const SEVERITY: Record<Severity, { tone: Tone; words: string }> = {
  must: { tone: 'error', words: 'a MUST was broken' },
  should: { tone: 'user', words: 'a SHOULD was broken' },
  note: { tone: 'muted', words: 'allowed, yet worth a look' },
};

/** A rule's short name as words. */
export const ruleWords = (rule: string): string => rule.replaceAll('-', ' ');
