import { vi } from 'vitest';
import { openOps } from '../ops/support/swiftshader.ts';
import { sharedReading } from './prefix-caching-cases.ts';

// It compiles slowly.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

sharedReading(openOps, 12);
