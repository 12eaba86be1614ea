import { tick } from 'svelte';
import type { TaskView } from '$lib/bindings/TaskView';
import type { App } from '$lib/state/app.svelte';

/** Something that can be done about a task. */
export interface TaskAction {
  readonly id:
    | 'answer'
    | 'result'
    | 'error'
    | 'poll'
    | 'cancel'
    | 'let_go'
    | 'pause'
    | 'resume'
    | 'interval'
    | 'timeline'
    | 'forget';
  readonly label: string;
  readonly run: () => void;
}

/** What the page itself opens. */
export interface TaskDialogs {
  openResult: (task: TaskView) => void;
  changeInterval: (task: TaskView) => void;
  forget: (task: TaskView) => void;
}

/** Shows the first prompt of this operation. */
async function answer(app: App, operation: number): Promise<void> {
  app.preferences.set({ rightOpen: true });
  // A pane that was closed hears of the wish only once it is there.
  await tick();
  const prompt = app.prompts.find((one) => one.operation === operation);
  if (prompt !== undefined) app.showPrompt(prompt.id);
}

/** Everything that can be done about it now; the first ones are shown beside it. */
export function actionsOf(app: App, task: TaskView, dialogs: TaskDialogs): TaskAction[] {
  const { tasks } = app;
  const actions: TaskAction[] = [];
  const { operation } = task;
  const isConnected = app.servers.some(
    (server) => server.id === task.server && server.connection.phase === 'connected',
  );
  const goesOn = task.standing === 'followed';
  const isOver = task.standing === 'over';
  if (task.open_prompts > 0 && operation !== null) {
    actions.push({ id: 'answer', label: 'Answer', run: () => void answer(app, operation) });
  }
  if (isOver && operation !== null) {
    const isResult = task.status === 'completed';
    actions.push({
      id: isResult ? 'result' : 'error',
      label: isResult ? 'Open result' : 'Open error',
      run: () => dialogs.openResult(task),
    });
  }
  if (isConnected && (!isOver || operation === null)) {
    const label = goesOn ? 'Poll now' : isOver ? 'Fetch result' : 'Poll again';
    actions.push({ id: 'poll', label, run: () => void tasks.poll(task) });
  }
  if (isConnected && !isOver && task.standing !== 'lost') {
    actions.push(
      task.is_cancel_asked && goesOn
        ? { id: 'let_go', label: 'Let go', run: () => void tasks.cancel(task) }
        : { id: 'cancel', label: 'Cancel', run: () => void tasks.cancel(task) },
    );
  }
  if (!isOver && task.standing !== 'lost') {
    actions.push(
      task.is_paused
        ? { id: 'resume', label: 'Resume polling', run: () => void tasks.setPaused(task, false) }
        : { id: 'pause', label: 'Pause polling', run: () => void tasks.setPaused(task, true) },
      { id: 'interval', label: 'Change interval…', run: () => dialogs.changeInterval(task) },
    );
  }
  if (operation !== null) {
    actions.push({ id: 'timeline', label: 'Open in timeline', run: () => void app.reveal(operation) });
  }
  actions.push({ id: 'forget', label: 'Forget', run: () => dialogs.forget(task) });
  return actions;
}
