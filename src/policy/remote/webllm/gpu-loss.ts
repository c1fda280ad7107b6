/**
 * Tells when the GPU takes a device away (driver reset, sleep, too little memory). The library that
 * holds the device does not say so: its calls then never end. So every device is watched from the
 * moment it is handed out, in the worker that this is called in, before the library asks for one.
 */
export function watchGpuDevices(onLost: (reason: string) => void): void {
  if (!('GPUAdapter' in globalThis)) return;
  const { prototype } = GPUAdapter;
  // oxlint-disable-next-line typescript/unbound-method -- called with its adapter below
  const { requestDevice } = prototype;
  prototype.requestDevice = async function watched(this: GPUAdapter, descriptor) {
    const device = await requestDevice.call(this, descriptor);
    void device.lost.then(({ reason, message }) => {
      // `destroyed` is our own doing.
      if (reason !== 'destroyed') onLost(message || 'no reason was given');
    });
    return device;
  };
}
