/**
 * What the window's first picture does not need. Its code is a chunk of its own, which `bring` fetches once the picture
 * stands, so that the window can be used sooner.
 */
export { default as ComposerView } from '../composer/ComposerView.svelte';
export { default as DetailsView } from '../details/DetailsView.svelte';
export { default as Dialogs } from './Dialogs.svelte';
export { default as FindingsView } from '../findings/FindingsView.svelte';
export { default as LogsView } from '../logs/LogsView.svelte';
export { default as PromptQueue } from '../prompts/PromptQueue.svelte';
export { default as PromptWindow } from '../prompts/PromptWindow.svelte';
export { default as PromptsView } from '../offers/PromptsView.svelte';
export { default as RowMenu } from '../row-menu/RowMenu.svelte';
export { default as ResourcesView } from '../offers/ResourcesView.svelte';
export { default as SignInPanel } from '../sign-in/SignInPanel.svelte';
export { default as TasksView } from '../tasks/TasksView.svelte';
export { default as ToolsView } from '../tools/ToolsView.svelte';
