/** Brings what the first picture does without; at once when it is here already. */
export const bring = (): Promise<typeof import('./later')> => import('./later');
