/** The content of every outermost `\boxed{…}` with balanced braces, in order, and where it begins. */
export function boxesIn(text: string): { text: string; start: number }[] {
  const boxes: { text: string; start: number }[] = [];
  const opening = /\\boxed\s*\{/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const start = match.index + match[0].length;
    let [depth, end] = [1, start];
    for (; end < text.length && depth > 0; end++) {
      if (text[end] === '\\') end++;
      else if (text[end] === '{') depth++;
      else if (text[end] === '}') depth--;
    }
    if (depth > 0) return boxes;
    boxes.push({ text: text.slice(start, end - 1), start });
    opening.lastIndex = end;
  }
  return boxes;
}
