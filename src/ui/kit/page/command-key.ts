const isApple = /Mac|iPhone|iPad/u.test(globalThis.navigator?.userAgent ?? '');

/** The key of all commands, as the keyboards of this platform have it. */
export const COMMAND_KEY = isApple ? '⌘K' : 'Ctrl K';
