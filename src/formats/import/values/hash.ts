/** SHA-256 of a text's UTF-8 bytes, hexadecimal, by the platform's own implementation. */
export async function hashText(text: string): Promise<string> {
  const digest = new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)),
  );
  let hex = '';
  for (const byte of digest) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/** Two passages with one title and one text are the same. */
export const passageHash = (title: string, text: string): Promise<string> =>
  hashText(`${title}\n${text}`);

/** Two questions with one text and the same answers are the same. */
export const questionHash = (text: string, answers: readonly string[]): Promise<string> =>
  hashText([text, ...answers].join('\n'));
