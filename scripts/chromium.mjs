import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const CANDIDATES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of an installed Chromium (or what FORAGE_CHROMIUM names), undefined where there is none. */
export function findChromium(candidates = CANDIDATES) {
  const named = process.env.FORAGE_CHROMIUM;
  if (named) {
    if (!existsSync(named))
      throw new Error(`FORAGE_CHROMIUM names ${named}, which does not exist.`);
    return named;
  }
  return candidates.find((path) => existsSync(path));
}

/** @throws Error that says how to install one, where there is none */
export function requireChromium(candidates = CANDIDATES) {
  const found = findChromium(candidates);
  if (found) return found;
  throw new Error(
    'No Chromium found. Install one (Debian, Ubuntu: sudo apt-get install chromium) or set FORAGE_CHROMIUM to its path.',
  );
}

/** Finds Chromium, or installs Debian's package as root, or throws with what to do. */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  const root = process.getuid?.() === 0;
  if (process.platform === 'linux' && root && spawnSync('apt-get', ['--version']).status === 0) {
    console.log('No Chromium found; installing the system package chromium …');
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: 'inherit' });
  }
  return requireChromium();
}

/**
 * What a Chromium that is driven does without. The first three are the browser's own: a window loads
 * pages for its address bar, most of a second of work, and starts a process for a page to come. The
 * others are those that Playwright turns off: of two lists Chromium takes the last.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Flags for a quiet headless Chromium; `webgpu` adds the SwiftShader adapter. */
export function chromiumFlags({ webgpu }) {
  return [
    '--headless=new',
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    ...(webgpu ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] : []),
  ];
}
