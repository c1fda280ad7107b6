export function findChromium(): string | undefined;
export function ensureChromium(): string;
export function chromiumFlags(options: { webgpu: boolean }): string[];
