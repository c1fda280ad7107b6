import { Icon, type IconName } from '../Icon.tsx';

/** The icon of an event. */
export const Sign = ({ sign }: { sign: IconName }) => <Icon name={sign} size={14} />;
