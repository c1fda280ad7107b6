export const HOST_FILES: readonly string[];
export function linkedFromAnyDepth(html: string): string;
export function metaPolicy(): string;
export function writeHostFiles(dir: string, base: string): Promise<void>;
