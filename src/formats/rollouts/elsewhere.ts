/** Recognises files of questions and passages, which are often next to those of rollouts. */

/**
 * Content of a file for the Corpus page, and where to open it; null for other files.
 * Any text can be cut into passages, so prose does not count.
 */
export async function elsewhere(blob: Blob, name: string): Promise<string | null> {
  // Loaded where it is needed: most files are rollouts.
  const { previewImport } = await import('../import/collect.ts');
  const { itemSchema } = await import('../import/schemas/list.ts');
  try {
    const { format, questions, passages } = await previewImport(blob, { items: 1, name });
    const none = questions.length + passages.length === 0;
    if (format.schema === 'prose' || none) return null;
    const schema = itemSchema(format.schema);
    const option = format.kind === 'questions' ? '--questions' : '--corpus';
    return `holds ${schema.holds ?? schema.name} and no rollouts. Open it under Corpus, or give it to “lab rollout” or “lab evaluate” as ${option}.`;
  } catch {
    return null;
  }
}
