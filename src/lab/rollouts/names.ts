/** Names that page and worker share; nothing else is imported with them. */

/** What rollouts can be put together by. */
export const GROUP_FIELDS = ['step', 'question', 'group', 'outcome'] as const;

export type GroupField = (typeof GROUP_FIELDS)[number];

/** What a bookmark is called among the tags, so that filters can ask for it. */
export const BOOKMARK = '★';
