import { Icon } from '../Icon.tsx';

/** The icon of an event. Fonts draw the search icon too small, so it is an SVG. */
export const Sign = ({ sign }: { sign: string }) =>
  sign === '⌕' ? <Icon name="search" size={13} /> : sign;
