/** Cuts a text to a width, at 6.4 pixels per letter of 12 pixels. */
export const fitted = (text: string, width: number, letter = 6.4): string => {
  const most = Math.max(4, Math.floor(width / letter));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
};
