/** One rollout as a file for people: Markdown, and HTML that opens anywhere. */
export { htmlText, markdownBlock, markdownText } from './escape.ts';
export { MOST_SPANS, rolloutHtml } from './html.ts';
export { rolloutMarkdown } from './markdown.ts';
export { reportOf, type Report } from './report.ts';
