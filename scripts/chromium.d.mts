export function findChromium(candidates?: readonly string[]): string | undefined;
export function requireChromium(candidates?: readonly string[]): string;
export function ensureChromium(): string;
export function chromiumFlags(options: { webgpu: boolean }): string[];
