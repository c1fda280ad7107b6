import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Isolation headers give the workers shared memory (threads of the WASM back end); the content
 * security policy keeps retrieved text from ever becoming code. `scripts/server.mjs` sends the same
 * headers. The development server additionally needs inline scripts and its own web socket.
 */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const contentSecurityPolicy = (development: boolean) =>
  [
    "default-src 'self'",
    `script-src 'self' 'wasm-unsafe-eval' blob:${development ? " 'unsafe-inline'" : ''}`,
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    `connect-src 'self' blob: data:${development ? ' ws:' : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
  ].join('; ');

export default defineConfig({
  plugins: [react()],
  worker: { format: 'es' },
  server: {
    headers: { ...isolation, 'Content-Security-Policy': contentSecurityPolicy(true) },
  },
  preview: {
    headers: { ...isolation, 'Content-Security-Policy': contentSecurityPolicy(false) },
  },
  optimizeDeps: {
    // These locate their .wasm files beside themselves, which pre-bundling would break.
    exclude: ['onnxruntime-web', 'hnswlib-wasm'],
  },
  build: {
    target: 'es2022',
    // Only the policy, retrieval and lab workers carry the large libraries.
    chunkSizeWarningLimit: 900,
    sourcemap: false,
    modulePreload: { polyfill: false },
  },
});
