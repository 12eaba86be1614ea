/// <reference types="svelte" />
/// <reference types="vite/client" />

/** True where the fake host may be used: development, tests and `--mode fake`. */
declare const __FAKE_HOST__: boolean;
