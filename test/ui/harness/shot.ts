import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { chromiumFlags } from '../../../scripts/chromium.mjs';
const server = await createServer({ root: '/work/main', server: { port: 0, hmr: false }, logLevel: 'error' });
await server.listen();
const addr = server.httpServer!.address() as { port: number };
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: chromiumFlags({ webgpu: false }) });
const page = await browser.newPage({ viewport: { width: Number(process.env.W ?? 1440), height: Number(process.env.H ?? 900) }, colorScheme: process.env.DARK ? 'dark' : 'light' });
page.on('console', (m) => { if (m.type() !== 'log' && m.type() !== 'info' && m.type() !== 'debug') console.log('[console]', m.type(), m.text().slice(0, 500)); });
page.on('pageerror', (e) => console.log('[pageerror]', e.message, e.stack?.slice(0, 600)));
const t0 = Date.now();
await page.goto(`http://localhost:${addr.port}/test/ui/harness/${process.env.Q ?? ''}`);
for (const step of (process.argv[2] ?? '').split(';').filter(Boolean)) {
  const [cmd, ...rest] = step.split('=');
  const arg = rest.join('=');
  try {
    if (cmd === 'wait') await page.waitForTimeout(Number(arg));
    else if (cmd === 'click') await page.click(arg, { timeout: 8000 });
    else if (cmd === 'hover') await page.hover(arg, { timeout: 8000 });
    else if (cmd === 'sel') await page.waitForSelector(arg, { timeout: 30000 });
    else if (cmd === 'key') await page.keyboard.press(arg);
    else if (cmd === 'dark') await page.emulateMedia({ colorScheme: 'dark' });
    else if (cmd === 'size') { const [w, h] = arg.split('x'); await page.setViewportSize({ width: Number(w), height: Number(h) }); }
    else if (cmd === 'shot') { await page.screenshot({ path: arg }); }
    else if (cmd === 'eval') console.log(JSON.stringify(await page.evaluate(arg)));
  } catch (e) { console.log('FAILED', step, String(e).slice(0, 300)); }
}
console.log('done', Date.now() - t0);
await browser.close(); await server.close();
process.exit(0);
