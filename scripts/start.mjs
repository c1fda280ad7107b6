// `npm start`: builds the page if its sources changed since the last build, serves it, opens a browser.
// As `forage` of a package, which has the built page and no sources, it serves and opens it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './serve/server.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const hasSources = existsSync(join(root, 'vite.config.ts'));
const options = parse(process.argv.slice(2));

function parse(argv) {
  const result = { port: 4173, open: true, build: 'auto', host: '127.0.0.1', base: '/' };
  for (let i = 0; i < argv.length; i++) {
    const option = argv[i];
    if (option === '--port') result.port = Number(argv[++i]);
    else if (option === '--host') result.host = argv[++i];
    else if (option === '--base') result.base = argv[++i] ?? '/';
    else if (option === '--no-open') result.open = false;
    else if (option === '--build') result.build = 'always';
    else
      fail(
        `Unknown option ${option}. Options: --port N, --host ADDRESS, --base PATH, --no-open, --build.`,
      );
  }
  if (!Number.isInteger(result.port) || result.port < 0 || result.port > 65535)
    fail('--port needs a number between 0 and 65535.');
  return result;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** Newest modification time below a path, in milliseconds. */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function buildIsStale() {
  const built = join(dist, 'index.html');
  if (options.build === 'always' || !existsSync(built)) return true;
  const sources = ['src', 'workers', 'public', 'index.html', 'vite.config.ts', 'package.json'];
  return Math.max(...sources.map((name) => newest(join(root, name)))) > statSync(built).mtimeMs;
}

function build() {
  if (!existsSync(join(root, 'node_modules', 'vite')))
    fail('The packages are not installed. Run: npm ci');
  console.log('Building the page …');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const built = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (built.status !== 0) fail('The build failed; what Vite printed above says why.');
}

if (hasSources) {
  if (buildIsStale()) build();
} else if (options.build === 'always')
  fail('--build needs the sources; a package holds the built page alone.');
else if (!existsSync(join(dist, 'index.html')))
  fail(`${dist} holds no built page. Install the package again.`);

let server;
const { port, host, base } = options;
try {
  server = await serve({ root: dist, port, host, base });
} catch (error) {
  if (error.code === 'EADDRINUSE') {
    server = await serve({ root: dist, port: 0, host, base });
    console.log(`Port ${port} is taken; using ${server.port} instead.`);
  } else fail(`Could not listen on ${host}:${port}: ${error.message}`);
}
console.log(`Forage is at ${server.url}  (Ctrl-C stops it)`);
// The first process of a container ends by no signal that it does not listen to.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));

const hasDisplay =
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
if (options.open && hasDisplay) {
  const { default: openBrowser } = await import('open');
  await openBrowser(server.url).catch(() => {});
}
