export function writeServiceWorker(root: string): Promise<{ files: number; bytes: number }>;
