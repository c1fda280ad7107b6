export * from './ablations.ts';
export * from './bootstrap.ts';
export * from './compare.ts';
export * from './gain.ts';
export * from './metrics.ts';
export * from './summary.ts';
