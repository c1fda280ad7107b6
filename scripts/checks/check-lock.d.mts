interface Locked {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  integrity?: string;
  link?: boolean;
}
export function lacksOf(lock: { packages: Record<string, Locked> }, manifest: Locked): string[];
