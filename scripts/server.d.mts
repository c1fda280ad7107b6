export interface Served {
  url: string;
  port: number;
  close(): Promise<void>;
}
export function serve(options: { root: string; port?: number; host?: string }): Promise<Served>;
