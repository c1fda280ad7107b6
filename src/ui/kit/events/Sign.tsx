import { Icon } from '../Icon.tsx';

/** The sign of an event. Fonts draw the search sign too small to be read, so that one is drawn here. */
export const Sign = ({ sign }: { sign: string }) =>
  sign === '⌕' ? <Icon name="search" size={13} /> : sign;
