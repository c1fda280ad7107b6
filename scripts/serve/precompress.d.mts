export function precompress(
  root: string,
): Promise<{ files: number; before: number; after: number }>;
