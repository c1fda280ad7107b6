import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatMs,
  formatNumber,
  formatParameters,
  formatShare,
  formatSigned,
} from '../../src/ui/kit/words/format.ts';

describe('numbers as they are written', () => {
  it('has at most three significant digits, and a dash for what is not there', () => {
    expect(formatNumber(0.123456)).toBe('0.123');
    expect(formatNumber(-1.5)).toBe('−1.5');
    expect(formatNumber(12345.6)).toBe('12,346');
    expect(formatNumber(null)).toBe('–');
    expect(formatNumber(Number.NaN)).toBe('–');
  });

  it('writes what is small with a power of ten, and every minus as a minus', () => {
    expect(formatNumber(0.151)).toBe('0.151');
    expect(formatNumber(-0.151)).toBe('−0.151');
    expect(formatNumber(-0.000151)).toBe('−1.51e−4');
    expect(formatNumber(0.001)).toBe('0.001');
    expect(formatNumber(-12345.6)).toBe('−12,346');
    expect(formatNumber(-0)).toBe('0');
  });

  it('keeps three digits of a share below one percent', () => {
    expect(formatShare(0.00155)).toBe('0.155 %');
    expect(formatShare(0.0000155)).toBe('0.00155 %');
    expect(formatShare(0.0104)).toBe('1.0 %');
    expect(formatShare(0)).toBe('0.0 %');
    expect(formatShare(-0.2)).toBe('−20.0 %');
  });

  it('never rounds a sign onto nothing', () => {
    expect(formatSigned(-0.0000321, 3)).toBe('−3.21e−5');
    expect(formatSigned(0.151, 3)).toBe('+0.151');
    expect(formatSigned(0, 3)).toBe('+0.000');
  });

  it('has units', () => {
    expect(formatShare(0.7342)).toBe('73.4 %');
    expect(formatMs(4.24)).toBe('4.2 ms');
    expect(formatMs(1500)).toBe('1.50 s');
    expect(formatBytes(2_104_808)).toBe('2.1 MB');
    expect(formatParameters(1_050_000)).toBe('1.05 M');
    expect(formatSigned(-0.5)).toBe('−0.50');
  });
});
