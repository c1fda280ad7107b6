export function normalBase(base: string): string;
export function upFrom(path: string): string;
export function linkedFrom(html: string, root: string): string;
