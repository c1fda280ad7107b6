/** 4000 → "1 h 7 min": durations in at most two units. */
export const formatDuration = (seconds: number): string => {
  if (!Number.isFinite(seconds) || seconds < 0) return '–';
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
};
