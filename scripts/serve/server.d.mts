export interface Served {
  url: string;
  port: number;
  close(): Promise<void>;
}
export function serve(options: {
  root: string;
  port?: number;
  host?: string;
  /** Path that the page lies below; `/` unless given. */
  base?: string;
}): Promise<Served>;
