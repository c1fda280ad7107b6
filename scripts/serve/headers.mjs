/**
 * The response headers of the page and of its workers, one place for the production server, Vite's
 * server and the tests. COOP and COEP make the page cross-origin isolated (SharedArrayBuffer, precise
 * timers); a worker is governed by the CSP of its own response, so every response carries it.
 */
export const SECURITY_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': [
    "default-src 'self'",
    // WebAssembly is compiled in workers; onnxruntime may start its threads from a blob.
    "script-src 'self' 'wasm-unsafe-eval' blob:",
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    // Checkpoints, search engines and endpoints lie on servers that the user names.
    "connect-src 'self' blob: data: https: http:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};
