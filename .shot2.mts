import { chromium } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '/work/main/scripts/chromium.mjs';
import { serve } from '/work/main/scripts/server.mjs';
const server = await serve({ root: '/work/main/dist' });
const browser = await chromium.launch({ executablePath: ensureChromium(), args: chromiumFlags({ webgpu: false }) });
const pages = (process.argv[2] ?? '/,models,corpus').split(',');
for (const [scheme, width] of [['light', 1440], ['dark', 390]] as const) {
  const c = await browser.newContext({ viewport: { width, height: 1000 }, colorScheme: scheme, serviceWorkers: 'block' });
  const page = await c.newPage();
  page.on('pageerror', (e) => console.log('ERR', e.message)); page.on('console', (m) => m.type() === 'error' && console.log('CON', m.text().slice(0, 300)));
  for (const p of pages) {
    await page.goto(server.url + p.replace(/^\//, '')); await page.waitForTimeout(5000);
    await page.screenshot({ path: `/tmp/s-${p.replace(/\W/g, '') || 'home'}-${scheme}.png`, fullPage: p !== '/' && p !== 'train' });
  }
  await c.close();
}
await browser.close(); await server.close();
