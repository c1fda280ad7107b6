/** The device cannot give the memory that was asked for. Nothing of what was stored is lost. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';
}

/** The device failed: it was lost, a kernel did not compile, or a limit is too small. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}
