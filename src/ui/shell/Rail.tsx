import { Link, useLocation } from 'wouter';
import { Icon } from '../kit/Icon.tsx';
import { RAIL, type RailPage } from './places.tsx';

/** A link of the rail, marked on its page and subpages. */
const Item = ({ route }: { route: RailPage }) => {
  const [path] = useLocation();
  const active = path === route.path || path.startsWith(`${route.path}/`);
  return (
    <Link
      href={route.path}
      className={active ? 'rail-item active' : 'rail-item'}
      aria-current={active ? 'page' : undefined}
      title={`${route.name} (g ${route.letter})`}
      // Preloads on hover.
      onPointerEnter={route.prepare}
      onFocus={route.prepare}
    >
      <Icon name={route.icon} size={18} />
      <span>{route.name}</span>
    </Link>
  );
};

/** Links to all pages. */
export const Rail = () => (
  <nav className="rail" aria-label="Places">
    {RAIL.map((route) => (
      <Item key={route.path} route={route} />
    ))}
  </nav>
);
