import { Link, useLocation } from 'wouter';
import { Icon } from '../kit/Icon.tsx';
import { ROUTES, type Route } from '../kit/routes.ts';

const Item = ({ route }: { route: Route }) => {
  const [path] = useLocation();
  const active = path === route.path || path.startsWith(`${route.path}/`);
  return (
    <Link
      href={route.path}
      className={active ? 'rail-item active' : 'rail-item'}
      aria-current={active ? 'page' : undefined}
      title={`${route.name} (g ${route.letter})`}
    >
      <Icon name={route.icon} size={18} />
      <span>{route.name}</span>
    </Link>
  );
};

export const Rail = () => (
  <nav className="rail" aria-label="Places">
    {ROUTES.map((route) => (
      <Item key={route.path} route={route} />
    ))}
  </nav>
);
