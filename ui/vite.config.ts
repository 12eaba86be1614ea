import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { playwright } from '@vitest/browser-playwright';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  resolve: { alias: { $lib: here('./src/lib'), $components: here('./src/components') } },
  // The fake host exists in development, in tests and in `--mode fake` only; elsewhere this is a constant
  // false and the bundler leaves it out.
  define: { __FAKE_HOST__: JSON.stringify(mode !== 'production') },
  clearScreen: false,
  server: { port: 5173, host: '127.0.0.1' },
  build: { target: ['es2022', 'safari16.4'], sourcemap: false, chunkSizeWarningLimit: 900 },
  test: {
    projects: [
      {
        extends: true,
        // Without it Svelte resolves to its server build.
        resolve: { conditions: ['browser'] },
        test: {
          name: 'logic',
          environment: 'jsdom',
          include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: ['**/*.browser.test.ts'],
          setupFiles: ['./tests/setup.ts'],
        },
      },
      {
        extends: true,
        optimizeDeps: {
          include: [
            'bits-ui',
            'paneforge',
            '@tauri-apps/api/core',
            'axe-core',
            'marked',
            'pdfjs-dist/legacy/build/pdf.mjs',
          ],
        },
        test: {
          name: 'browser',
          // What a machine that is busy takes longer for is no fault.
          expect: { poll: { timeout: 10_000 } },
          include: ['src/**/*.browser.test.ts', 'tests/**/*.browser.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
                args: ['--no-sandbox'],
              },
            }),
            instances: [{ browser: 'chromium', viewport: { width: 1440, height: 900 } }],
          },
        },
      },
    ],
  },
}));
