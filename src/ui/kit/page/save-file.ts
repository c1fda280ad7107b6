/** Hands a blob to the browser as a download. */
export const saveFile = (name: string, blob: Blob): void => {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

/** "My run, 2" → "my-run-2": a portable file name. */
export const fileStem = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'run';
